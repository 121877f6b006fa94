/**
 * Keeps the write-ahead log short: copies it into the database between two batches, and refuses batches while a reader keeps it from being
 * reused. Runs on the writer thread.
 */
import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { readPragma } from '../connection.ts';
import { StoreError } from '../error-code.ts';

/**
 * Changed rows after which the log is copied: some 30 MB of log. A copy takes about a tenth of a second on a large store; more often, it
 * would hold up more requests and write the same pages again and again.
 */
const rowsPerCheckpoint = 6_000;
/** Bytes of names and tags that count as one row more: longer rows fill pages of their own. */
const bytesPerRow = 2_000;
/** Bytes of the log file from which on readers that hold it are asked to end, and how much it grows until they are asked again. */
const askFromBytes = 40_000_000;
const askStepBytes = 4_000_000;
/** Bytes of the log file at which batches are refused; with one batch more it stays below 64 MB. */
const fullBytes = 48_000_000;
/** Shortest time between two times that readers are asked while the log is full, in milliseconds. */
const askMsMin = 1_000;
export class Checkpointer {
  readonly #logPath: string;
  readonly #askReaders: () => void;
  readonly #db: DatabaseSync;
  readonly #copy: StatementSync;
  readonly #empty: StatementSync;
  #rows = 0;
  #askedAt = { bytes: 0, ms: -Infinity };

  /** @param askReaders asks the readers of this process that hold the log to end. */
  constructor(db: DatabaseSync, path: string, askReaders: () => void) {
    this.#logPath = `${path}-wal`;
    this.#askReaders = askReaders;
    this.#db = db;
    this.#copy = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.#empty = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /** Copies the log once enough was written. Call between batches, when nobody waits for an answer. Throws what SQLite throws. */
  advance(rows: number, bytes: number): void {
    this.#rows += rows + bytes / bytesPerRow;
    if (this.#rows < rowsPerCheckpoint) return;
    const result = this.#copy.get();
    // What a reader held back is tried again soon.
    this.#rows = result?.['log'] === result?.['checkpointed'] ? 0 : rowsPerCheckpoint * 0.9;
  }

  /** Call before each batch. @throws StoreError `store_busy` when the log has no room for it, which is so only while a reader holds it. */
  requireRoom(): void {
    const bytes = this.#logBytes();
    if (bytes < askFromBytes) return;
    if (this.#emptyLog()) {
      this.#rows = 0;
      this.#askedAt = { bytes: 0, ms: -Infinity };
      return;
    }
    const isFull = bytes >= fullBytes;
    const ms = performance.now();
    if (bytes >= this.#askedAt.bytes + askStepBytes || (isFull && ms >= this.#askedAt.ms + askMsMin)) {
      this.#askedAt = { bytes, ms };
      this.#askReaders();
    }
    if (isFull)
      throw new StoreError('store_busy', 'An open read transaction keeps the write-ahead log from being reused');
  }

  /** Whether the log could be copied and emptied at once: a reader that holds it is not waited for. */
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
