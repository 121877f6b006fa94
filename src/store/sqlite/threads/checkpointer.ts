/**
 * Keeps the WAL short: checkpoints between batches, and refuses batches while a reader blocks
 * checkpoints. Runs on the writer thread.
 */
import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { readPragma } from '../connection.ts';
import { StoreError } from '../error-code.ts';

/**
 * Changed rows per checkpoint: about 30 MB of log. A checkpoint takes about 0.1 s on a large store;
 * more frequent ones delay more requests and write the same pages again.
 */
const rowsPerCheckpoint = 6_000;
/** Bytes of names and tags that count as one more row: longer rows fill their own pages. */
const bytesPerRow = 2_000;
/**
 * Size of the log file at which snapshots that block it are aborted, and its growth until the next
 * time, in bytes.
 */
const abortFromBytes = 40_000_000;
const abortStepBytes = 4_000_000;
/** Size of the log file at which batches are refused, so that it stays below 64 MB. */
const fullBytes = 48_000_000;
/** Minimum time between two aborts while the log is full, in milliseconds. */
const abortIntervalMsMin = 1_000;

export class Checkpointer {
  readonly #logPath: string;
  readonly #abortSnapshots: () => void;
  readonly #db: DatabaseSync;
  readonly #copy: StatementSync;
  readonly #empty: StatementSync;
  #rows = 0;
  #abortedAt = { bytes: 0, ms: -Infinity };

  /** @param abortSnapshots aborts this process's snapshots that block the log. */
  constructor(db: DatabaseSync, path: string, abortSnapshots: () => void) {
    this.#logPath = `${path}-wal`;
    this.#abortSnapshots = abortSnapshots;
    this.#db = db;
    this.#copy = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.#empty = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /** Checkpoints once enough was written. Call between batches. Throws what SQLite throws. */
  advance(rows: number, bytes: number): void {
    this.#rows += rows + bytes / bytesPerRow;
    if (this.#rows < rowsPerCheckpoint) return;
    const result = this.#copy.get();
    // Retry soon if a reader blocked part of it.
    this.#rows = result?.['log'] === result?.['checkpointed'] ? 0 : rowsPerCheckpoint * 0.9;
  }

  /**
   * Call before each batch.
   * @throws StoreError `store_busy` if the log is full because a reader blocks it.
   */
  requireLogSpace(): void {
    const bytes = this.#logBytes();
    if (bytes < abortFromBytes) return;
    if (this.#emptyLog()) {
      this.#rows = 0;
      this.#abortedAt = { bytes: 0, ms: -Infinity };
      return;
    }
    const isFull = bytes >= fullBytes;
    const ms = performance.now();
    if (bytes >= this.#abortedAt.bytes + abortStepBytes || (isFull && ms >= this.#abortedAt.ms + abortIntervalMsMin)) {
      this.#abortedAt = { bytes, ms };
      this.#abortSnapshots();
    }
    if (isFull)
      throw new StoreError('store_busy', 'An open read transaction keeps the write-ahead log from being reused');
  }

  /**
   * Returns whether the log could be checkpointed and truncated at once; does not wait for readers.
   */
  #emptyLog(): boolean {
    const timeout = String(readPragma(this.#db, 'busy_timeout'));
    this.#db.exec('PRAGMA busy_timeout = 0');
    try {
      return this.#empty.get()?.['busy'] === 0n;
    } finally {
      this.#db.exec(`PRAGMA busy_timeout = ${timeout}`);
    }
  }

  #logBytes(): number {
    return statSync(this.#logPath, { throwIfNoEntry: false })?.size ?? 0;
  }
}
