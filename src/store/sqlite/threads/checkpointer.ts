/**
 * Keeps the write-ahead log short: has a second thread copy most of it into the database while batches go on, then copies the small rest between
 * two batches, after which SQLite writes the log from its start again. Runs on the writer thread.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CheckpointData } from './checkpoint-thread.ts';
import { readPragma } from '../connection.ts';
import { LogHeldError } from '../error-code.ts';
import { Thread } from './thread.ts';

/** Bytes of the log from which on it is copied, and of a rest that is small enough to hold up a batch for some milliseconds. */
const copyFromBytes = 34_000_000;
const restBytesMax = 2_500_000;
/** Bytes from which on batches wait for the copy, and at which they are refused; with one batch more the log stays below 64 MB. */
const lateBytes = 42_000_000;
const fullBytes = 48_000_000;
/** Longest wait for the second thread, in milliseconds; a copy takes about a hundred. */
const copyMsMax = 5_000;
/** Bytes of the log for each page beside the page itself (sqlite.org/fileformat2.html#walformat). */
const frameHeaderBytes = 24;

export class Checkpointer {
  readonly #path: string;
  readonly #onFailure: (error: Error) => void;
  readonly #db: DatabaseSync;
  readonly #measure: StatementSync;
  readonly #restart: StatementSync;
  readonly #frameBytes: number;
  /** 1 while the second thread copies. */
  readonly #isCopying = new Int32Array(new SharedArrayBuffer(4));
  #thread: Thread<'copy' | 'close', null> | undefined;

  /** @param onFailure told when the second thread fails, after which the state of the disk is unknown. */
  constructor(db: DatabaseSync, path: string, onFailure: (error: Error) => void) {
    this.#db = db;
    this.#path = path;
    this.#onFailure = onFailure;
    this.#measure = db.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#restart = db.prepare('PRAGMA wal_checkpoint(RESTART)');
    this.#frameBytes = Number(readPragma(db, 'page_size')) + frameHeaderBytes;
  }

  /** Belongs between batches, when nobody waits for an answer; false when a reader holds the log. Throws what SQLite throws. */
  advance(): boolean {
    const { length, rest } = this.#log();
    if (length < copyFromBytes) return true;
    if (length >= lateBytes) return this.#finish();
    if (rest === 0 || Atomics.load(this.#isCopying, 0) === 1) return true;
    if (rest <= restBytesMax) this.#finish();
    else this.#startCopy();
    return true;
  }

  /** Throws when the log has no room for one batch more, which is so only while a reader, or a full disk, keeps it from being copied. */
  requireRoom(): void {
    if (this.#log().length >= fullBytes && !this.#finish()) throw new LogHeldError();
  }

  /** To be called once the connection is closed, for its locks do not outlive the files that the second thread closes. */
  async close(): Promise<void> {
    await this.#thread?.close('close');
  }

  #startCopy(): void {
    this.#thread ??= new Thread('checkpoint-thread', {
      path: this.#path,
      isCopying: this.#isCopying,
    } satisfies CheckpointData);
    Atomics.store(this.#isCopying, 0, 1);
    this.#thread.call('copy').catch((error: unknown) => {
      this.#onFailure(error instanceof Error ? error : new Error(String(error)));
    });
  }

  /** Copies all that no reader holds. Whether the next batch writes the log from its start again; SQLite goes on behind its end while a reader is in it. */
  #finish(): boolean {
    if (Atomics.wait(this.#isCopying, 0, 1, copyMsMax) === 'timed-out')
      throw new Error(`The thread that copies the log has not answered for ${copyMsMax} ms`);
    const timeout = String(readPragma(this.#db, 'busy_timeout'));
    this.#db.exec('PRAGMA busy_timeout = 0');
    try {
      return this.#restart.get()?.['busy'] === 0n;
    } finally {
      this.#db.exec(`PRAGMA busy_timeout = ${timeout}`);
    }
  }

  /** In bytes: how long the log is, and how much of it is not copied yet. */
  #log(): { length: number; rest: number } {
    const { log, checkpointed } = this.#measure.get() as { log: bigint; checkpointed: bigint };
    return { length: Number(log) * this.#frameBytes, rest: Number(log - checkpointed) * this.#frameBytes };
  }
}
