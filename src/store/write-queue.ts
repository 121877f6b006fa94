/**
 * The queue of writes, with group commit: while a commit runs, writes collect for the next one.
 * Single writes go before bulk writes, those of imports and batches, of which each commit has one
 * or more. Bounded; knows no database.
 */
import { ServiceError } from '../domain/errors.ts';
import { type Keyed, KeyedQueue } from './keyed-queue.ts';
import type { CommitSummary } from './store-observer.ts';
import {
  bytesOf,
  type CommitWrites,
  isPlantWrite,
  isRefusal,
  keysOf,
  type Refusal,
  type Result,
  toServiceError,
  type Write,
} from './write.ts';

export interface QueueLimits {
  /** Maximum number of writes that wait or are being committed. */
  readonly writesMax: number;
  /** Maximum memory of these writes in bytes, by `bytesOf`. */
  readonly bytesMax: number;
}

/** When commits start. */
export interface Pacing {
  /** Maximum number of concurrent commits; of writes of the same id, one at a time. */
  readonly commitsMax: number;
  /** Called after each commit, before its writes are settled. */
  readonly onCommit?: (summary: CommitSummary) => void;
}

/**
 * Maximum single writes per commit: bounds how long one commit delays the next. Larger ones gain
 * nothing: from about 200 rows the fsync is a small part (measured: 80 us of 600 us).
 */
const commitWritesMax = 512;
/**
 * Number of waiting writes at which an idle queue commits at once. Without it all clients fall into
 * step, and disk and sockets take turns (measured with 64 connections: 10 % more creates per
 * second; main thread 81 % busy instead of 71 %).
 */
const eagerWritesMin = 16;
/**
 * Writes, or age of the oldest write in milliseconds, at which a commit starts beside others. Each
 * costs the database as much as 25 rows more. With 64 connections, two commits of 32 take turns; a
 * shorter wait splits them (measured on a busy machine: 19 rows a commit, 13 after 1 ms).
 */
const companionWritesMin = 32;
const companionWaitMs = 3;
/** How long `close` commits waiting writes, in milliseconds. Longer means a slow disk. */
const closeMsMax = 2_000;
/** Maximum bytes per commit, of single and of bulk writes, unless the first one alone is larger. */
const commitBytesMax = 1_048_576;
/**
 * Rows of bulk writes per commit: one for each 2 ms since the last single write, within these
 * bounds. A row takes 20 us, so that the next single write waits for a hundredth of that time. Of
 * 1,000 rows, each takes a twelfth less than of 500; of 2,000, a sixth, but a create waits longer.
 */
const bulkRowsPerMs = 0.5;
const bulkRowsMin = 64;
const bulkRowsMax = 1_000;

interface Waiting extends Keyed {
  readonly write: Write;
  readonly since: number;
  readonly resolve: (result: Result | Refusal) => void;
  readonly reject: (error: Error) => void;
}

export class WriteQueue {
  readonly #commit: CommitWrites;
  readonly #limits: QueueLimits;
  readonly #pacing: Pacing;
  readonly #waiting: KeyedQueue<Waiting>;
  /** When the last single write of a plant was submitted, by `performance.now()`. */
  #singleAt = -Infinity;
  #commits = 0;
  #hasImmediate = false;
  #timer: NodeJS.Timeout | undefined;
  #writes = 0;
  #bytes = 0;
  #closed: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(commit: CommitWrites, limits: QueueLimits, pacing: Pacing) {
    this.#commit = commit;
    this.#limits = limits;
    this.#pacing = pacing;
    this.#waiting = new KeyedQueue(pacing.commitsMax > 1);
  }

  /** Returns whether another write would be refused with `store_busy`. */
  isFull(): boolean {
    return this.#writes >= this.#limits.writesMax || this.#bytes >= this.#limits.bytesMax;
  }

  /** How many rows a bulk write should have now: as many as a commit takes. */
  get bulkRows(): number {
    const rows = Math.floor((performance.now() - this.#singleAt) * bulkRowsPerMs);
    return Math.min(Math.max(rows, bulkRowsMin), bulkRowsMax);
  }

  /** Writes that wait or are being committed, and their bytes. */
  get load(): { readonly writes: number; readonly bytes: number } {
    return { writes: this.#writes, bytes: this.#bytes };
  }

  /**
   * Resolves to the result of the write once it is on disk.
   * @throws ServiceError `store_busy` if the queue is full, `shutting_down` after `close`, the code
   * of a refusal, or what `commit` throws.
   */
  submit<Kind extends Write>(write: Kind): Promise<Result<Kind>> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) return reject(new ServiceError('shutting_down'));
      if (this.isFull()) return reject(new ServiceError('store_busy'));
      const bytes = bytesOf(write);
      const since = performance.now();
      const bulk = 'rows' in write ? { source: write.by ?? '', rows: write.rows.length } : undefined;
      if (bulk === undefined && isPlantWrite(write)) this.#singleAt = since;
      this.#writes += 1;
      this.#bytes += bytes;
      this.#waiting.add({
        write,
        bytes,
        keys: keysOf(write),
        bulk,
        since,
        resolve: (result) => {
          if (isRefusal(result)) reject(toServiceError(result));
          // The adapter returns the result type of each write's kind.
          else resolve(result as Result<Kind>);
        },
        reject,
      });
      this.#dispatch(false);
    });
  }

  /**
   * Refuses new writes, and after `closeMsMax` those that still wait; resolves once all accepted
   * writes are settled.
   */
  close(): Promise<void> {
    this.#closed ??= this.#settleAll();
    return this.#closed;
  }

  async #settleAll(): Promise<void> {
    if (this.#writes === 0) return;
    const late = setTimeout(() => this.#refuseWaiting(), closeMsMax);
    await new Promise<void>((resolve) => (this.#onIdle = resolve));
    clearTimeout(late);
  }

  #refuseWaiting(): void {
    const waiting = this.#waiting.takeAll();
    for (const { bytes } of waiting) this.#bytes -= bytes;
    this.#writes -= waiting.length;
    for (const { reject } of waiting) reject(new ServiceError('shutting_down'));
    if (this.#writes === 0) this.#onIdle?.();
  }

  /** Starts the commits that are due; schedules another look at the rest. */
  #dispatch(isTurnOver: boolean): void {
    while (this.#waiting.length > 0 && this.#commits < this.#pacing.commitsMax) {
      const isDue =
        this.#commits === 0
          ? isTurnOver || this.#waiting.length >= eagerWritesMin
          : this.#waiting.length >= companionWritesMin || this.#oldestAgeMs() >= companionWaitMs;
      if (!isDue) {
        this.#lookAgain();
        return;
      }
      this.#start(this.#waiting.take({ countMax: commitWritesMax, rowsMax: this.bulkRows, bytesMax: commitBytesMax }));
    }
  }

  /** An idle queue waits only for other writes of the same event loop turn. */
  #lookAgain(): void {
    if (this.#commits > 0) {
      this.#timer ??= setTimeout(
        () => {
          this.#timer = undefined;
          this.#dispatch(false);
        },
        Math.max(0, companionWaitMs - this.#oldestAgeMs()),
      );
    } else if (!this.#hasImmediate) {
      this.#hasImmediate = true;
      setImmediate(() => {
        this.#hasImmediate = false;
        this.#dispatch(true);
      });
    }
  }

  #oldestAgeMs(): number {
    return performance.now() - (this.#waiting.oldest?.since ?? Infinity);
  }

  #start(taken: readonly Waiting[]): void {
    this.#commits += 1;
    const begunAt = performance.now();
    const end = (failure: CommitSummary['failure'], settle: (waiting: Waiting, index: number) => void): void => {
      this.#pacing.onCommit?.({
        writes: taken.length,
        bytes: taken.reduce((sum, { bytes }) => sum + bytes, 0),
        waitedMs: begunAt - taken.reduce((oldest, { since }) => Math.min(oldest, since), begunAt),
        committedMs: performance.now() - begunAt,
        ...(failure === undefined ? {} : { failure }),
      });
      this.#settle(taken, settle);
    };
    this.#commit(taken.map(({ write }) => write)).then(
      (results) => {
        end(undefined, (waiting, index) => {
          const result = results[index];
          if (result === undefined) waiting.reject(new ServiceError('store_failed'));
          else waiting.resolve(result);
        });
      },
      (cause: unknown) => {
        const isKnown = cause instanceof ServiceError;
        const error = {
          code: isKnown ? cause.code : 'store_failed',
          cause: isKnown ? (cause.cause ?? cause) : cause,
          detail: isKnown ? cause.detail : undefined,
        } as const;
        // Each write gets its own error, with its own stack.
        end(error, (waiting) => waiting.reject(new ServiceError(error.code, error)));
      },
    );
  }

  /** Starts the next commit before sending these results: the disk never waits for sockets. */
  #settle(taken: readonly Waiting[], settle: (waiting: Waiting, index: number) => void): void {
    for (const { bytes } of taken) this.#bytes -= bytes;
    this.#writes -= taken.length;
    this.#commits -= 1;
    this.#waiting.release(taken);
    this.#dispatch(true);
    if (this.#writes === 0) this.#onIdle?.();
    taken.forEach(settle);
  }
}
