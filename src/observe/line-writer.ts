/**
 * Writes the lines of the log to a file descriptor, beside other work. An error, as of a full
 * disk, neither ends nor holds up the service: what could not be written is tried again.
 */
import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSystemError } from '../system/system-error.ts';

/** Maximum memory while nobody reads, or the disk is full; further lines are dropped. */
const waitingBytesMax = 16 * 1024 * 1024;
/** Time before the next attempt after an error, in milliseconds. */
const retryMs = 100;
/**
 * How long the end of the process waits for a reader that takes nothing, or little, in
 * milliseconds.
 */
const flushIdleMsMax = 1_000;
const flushMsMax = 5_000;
/** Time between two looks: a reader empties a pipe of 64 KiB sooner. */
const flushPollMs = 1;
/** A pipe is full, or a terminal is stopped, as by Ctrl-S. */
const readerSlow = 'EAGAIN';

export class LineWriter {
  readonly #fd: number;
  #waiting: Uint8Array[] = [];
  /** Includes the lines that are being written. */
  #waitingBytes = 0;
  /** Whether an attempt is under way, or planned. */
  #isBusy = false;
  #retryMs = retryMs;

  constructor(fd: number) {
    this.#fd = openNonBlocking(fd);
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#waitingBytes + bytes.length > waitingBytesMax) return;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#isBusy) return;
    this.#isBusy = true;
    // Not at once: the line of a crash, which flushSync() follows, must not be under way.
    setImmediate(() => this.#start());
  }

  /** Resolves once all is written, in order, or nobody reads: for the end of the process. */
  async flush(): Promise<void> {
    this.#retryMs = flushPollMs;
    const mayWait = startPatience();
    while (this.#waitingBytes > 0 && mayWait(this.#waitingBytes)) await sleep(flushPollMs);
  }

  /**
   * Returns once all is written that is not under way, which may come after it. What cannot be
   * written is lost: it is for a crash, when nothing else can be waited for.
   */
  flushSync(): void {
    const mayWait = startPatience();
    for (let bytes = this.#take(); bytes.length > 0;) {
      try {
        const written = writeSync(this.#fd, bytes);
        this.#waitingBytes -= written;
        bytes = bytes.subarray(written);
      } catch (error) {
        // There is nowhere to report it.
        if (!isSystemError(error, readerSlow) || !mayWait(bytes.length)) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, flushPollMs);
      }
    }
  }

  #start(): void {
    const bytes = this.#take();
    this.#isBusy = bytes.length > 0;
    if (!this.#isBusy) return;
    write(this.#fd, bytes, (error, written) => {
      this.#waitingBytes -= written;
      if (written < bytes.length) this.#waiting.unshift(bytes.subarray(written));
      if (error === null) this.#start();
      else setTimeout(() => this.#start(), this.#retryMs).unref();
    });
  }

  #take(): Uint8Array {
    const [first, ...others] = this.#waiting;
    // A chunk that could not be written is tried again alone: it is not copied.
    const bytes = first !== undefined && others.length === 0 ? first : Buffer.concat(this.#waiting);
    this.#waiting = [];
    return bytes;
  }
}

/** Returns what says whether to wait longer for the reader, given the bytes that are left. */
function startPatience(): (bytesLeft: number) => boolean {
  const startedAt = performance.now();
  let takenAt = startedAt;
  let fewest = Infinity;
  return (bytesLeft) => {
    const now = performance.now();
    if (bytesLeft < fewest) takenAt = now;
    fewest = Math.min(fewest, bytesLeft);
    return now - takenAt < flushIdleMsMax && now - startedAt < flushMsMax;
  };
}

/**
 * Opens the pipe or terminal behind a descriptor once more, so that no write to it waits for
 * its reader. The given one may be shared with a shell, which needs it to wait. Returns the
 * given one where that is not possible.
 */
function openNonBlocking(fd: number): number {
  const { O_WRONLY, O_NOCTTY, O_NONBLOCK } = constants;
  try {
    // A file has no reader, and would be written from its start.
    return fstatSync(fd).isFile() ? fd : openSync(`/dev/fd/${fd}`, O_WRONLY | O_NOCTTY | O_NONBLOCK);
  } catch {
    // A socket, which Node has made non-blocking; a foreign terminal; a system without such names.
    return fd;
  }
}
