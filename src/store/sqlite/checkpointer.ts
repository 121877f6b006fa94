/**
 * Keeps the write-ahead log short: has a second thread copy most of it into the database while batches go on, then copies the small rest between
 * two batches, after which SQLite writes the log from its start again. Runs on the writer thread.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CheckpointData } from './checkpoint-thread.ts';
import { readPragma } from './connection.ts';
import { LogHeldError } from './error-code.ts';
import { Thread } from './thread.ts';

/** Bytes of the log from which on it is copied, and of a rest that is small enough to hold up a batch for some milliseconds. */
const copyFromBytes = 38_000_000;
const restBytesMax = 2_500_000;
/** Bytes from which on batches wait for the copy, and at which they are refused; with one batch more the log stays below 64 MB. */
const lateBytes = 48_000_000;
const fullBytes = 58_000_000;
/** Longest wait for the second thread, in milliseconds; a copy takes about a hundred. */
const copyMsMax = 5_000;
/** Bytes of the log for each page beside the page itself (sqlite.org/fileformat2.html#walformat). */
const frameHeaderBytes = 24;

export class Checkpointer {
  readonly #path: string;
  readonly #onFailure: (error: Error) => void;
  readonly #measure: StatementSync;
  readonly #checkpoint: StatementSync;
  readonly #frameBytes: number;
  /** 1 while the second thread copies. */
  readonly #isCopying = new Int32Array(new SharedArrayBuffer(4));
  #thread: Thread<'copy' | 'close', null> | undefined;

  /** @param onFailure told when the second thread fails, after which the state of the disk is unknown. */
  constructor(db: DatabaseSync, path: string, onFailure: (error: Error) => void) {
    this.#path = path;
    this.#onFailure = onFailure;
    this.#measure = db.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.#checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.#frameBytes = Number(readPragma(db, 'page_size')) + frameHeaderBytes;
  }

  /** Belongs between batches, when nobody waits for an answer; false when a reader holds the log. Throws what SQLite throws. */
  advance(): boolean {
    const { length, rest } = this.#log();
    if (length < copyFromBytes) return true;
    if (length >= lateBytes) return this.#finish() < lateBytes;
    if (Atomics.load(this.#isCopying, 0) === 1) return true;
    if (rest <= restBytesMax) this.#finish();
    else this.#startCopy();
    return true;
  }

  /** Throws when the log has no room for one batch more, which is so only while a reader, or a full disk, keeps it from being copied. */
  requireRoom(): void {
    if (this.#log().length >= fullBytes && this.#finish() >= fullBytes) throw new LogHeldError();
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

  /** Copies all that no reader holds. Returns the length of the log then. */
  #finish(): number {
    Atomics.wait(this.#isCopying, 0, 1, copyMsMax);
    this.#checkpoint.get();
    return this.#log().length;
  }

  /** In bytes: how long the log is, and how much of it is not copied yet. A log that is copied whole is written from its start again. */
  #log(): { length: number; rest: number } {
    const { log, checkpointed } = this.#measure.get() as { log: bigint; checkpointed: bigint };
    const rest = Number(log - checkpointed) * this.#frameBytes;
    return { length: rest === 0 ? 0 : Number(log) * this.#frameBytes, rest };
  }
}
