/**
 * Keeps the WAL short: another thread copies most of it, the rest is checkpointed between commits.
 * Refuses commits while a reader blocks checkpoints. Runs on the writer thread.
 */
import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { readPragma } from '../connection.ts';
import { StoreError } from '../error-code.ts';
import type { CheckpointData, CheckpointFailure } from './checkpoint-thread.ts';
import { findReaders } from './find-readers.ts';
import { Thread } from './thread.ts';

/**
 * Changed rows per checkpoint: about 25 MB of WAL. More frequent ones write the same pages again.
 * On a large store, copying and syncing takes 60 ms (measured), so a thread does it.
 */
const rowsPerCheckpoint = 5_000;
/** Changed rows at which the writer checkpoints without waiting for the thread: about 35 MB. */
const rowsMax = 7_000;
/** Bytes of names and tags that count as one more row: longer rows fill their own pages. */
const bytesPerRow = 2_000;
/** Size of the WAL at which snapshots that block it are aborted, and its growth until again. */
const abortFromBytes = 40_000_000;
const abortStepBytes = 4_000_000;
/** Size of the WAL at which commits are refused, so that it stays below 64 MB. */
const fullBytes = 48_000_000;
/** How long a commit waits for room in a full WAL: for a slow checkpoint, or for a backup to end. */
const waitMsMax = 5_000;
/** Milliseconds between two tries. SQLite's own wait would block the token commands. */
const retryMs = 20;
/** Minimum time between two aborts while the WAL is full, in milliseconds. */
const abortIntervalMsMin = 1_000;

/** `blocked`: snapshots of this process may block the WAL, and must be aborted. */
export type WalNotice =
  | 'blocked'
  /** Writes are refused until a reader ends that is none of these snapshots. */
  | 'full';

export class Checkpointer {
  readonly #walPath: string;
  readonly #indexPath: string;
  readonly #notify: (notice: WalNotice) => void;
  readonly #db: DatabaseSync;
  readonly #checkpoint: StatementSync;
  readonly #empty: StatementSync;
  /** 1 while the thread checkpoints; it stores the 0 itself. */
  readonly #isCheckpointing = new Int32Array(new SharedArrayBuffer(4));
  readonly #thread: Thread<'checkpoint', CheckpointFailure>;
  #threadState: 'not started' | 'running' | 'done' = 'not started';
  #failure: CheckpointFailure;
  #rows = 0;
  #abortedAt = { bytes: 0, ms: -Infinity };
  /** Present after a commit has waited in vain for a reader that still blocks the WAL. */
  #fullReason: string | undefined;

  constructor(db: DatabaseSync, path: string, notify: (notice: WalNotice) => void) {
    this.#walPath = `${path}-wal`;
    this.#indexPath = `${path}-shm`;
    this.#notify = notify;
    this.#db = db;
    this.#checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.#empty = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
    const data: CheckpointData = { path, isCheckpointing: this.#isCheckpointing };
    this.#thread = new Thread('checkpoint-thread', data);
  }

  /** Checkpoints once enough was written. Call between commits. Throws what SQLite throws. */
  advance(rows: number, bytes: number): void {
    if (this.#failure !== undefined) throw new StoreError('store_failed', this.#failure);
    this.#rows += rows + bytes / bytesPerRow;
    if (this.#rows < rowsPerCheckpoint) return;
    if (this.#threadState === 'not started') this.#startThread();
    if (this.#threadState === 'running' && this.#rows < rowsMax) return;
    const { busy, log, checkpointed } = this.#checkpoint.get() ?? {};
    const isComplete = busy === 0n && log === checkpointed;
    // Retry soon if the thread still runs, or a reader blocked part of it.
    this.#rows = isComplete ? 0 : Math.min(this.#rows, rowsMax * 0.9);
    if (this.#threadState === 'done') this.#threadState = 'not started';
  }

  /** Call after closing the connection. */
  async close(): Promise<void> {
    await this.#thread.close();
  }

  #startThread(): void {
    this.#threadState = 'running';
    Atomics.store(this.#isCheckpointing, 0, 1);
    const end = (failure: CheckpointFailure): void => {
      // The writer may have checkpointed without waiting.
      this.#threadState = this.#rows < rowsPerCheckpoint ? 'not started' : 'done';
      this.#failure = failure;
    };
    // After another failure, such as a thread that cannot start, the writer checkpoints all.
    this.#thread.call('checkpoint').then(end, () => end(undefined));
  }

  /**
   * Call before each commit. Waits while the WAL is full.
   * @throws StoreError `store_busy` if it stays full.
   */
  requireWalSpace(): void {
    const bytes = this.#walBytes();
    if (bytes < abortFromBytes) return;
    if (this.#threadState === 'running') {
      if (bytes < fullBytes) return;
      // Writes that are faster than the copy wait for it.
      if (Atomics.wait(this.#isCheckpointing, 0, 1, waitMsMax) === 'timed-out')
        throw new StoreError('store_busy', 'The write-ahead log is still being copied');
    }
    if (this.#emptyWal()) return;
    this.#abortSnapshots(bytes);
    if (bytes < fullBytes) return;
    // A backup in another process ends soon. Commits do not wait once more for a reader that stays.
    if (this.#fullReason === undefined) {
      if (this.#waitForReaders(bytes)) return;
      const readers = findReaders(this.#indexPath);
      const reader = readers === undefined ? '' : `: ${readers} reads the database`;
      this.#fullReason = `The write-ahead log is full, and a transaction keeps it from being reused${reader}`;
      this.#notify('full');
    }
    throw new StoreError('store_busy', this.#fullReason);
  }

  /** Returns whether the WAL could be emptied in time. */
  #waitForReaders(bytes: number): boolean {
    const sleeping = new Int32Array(new SharedArrayBuffer(4));
    for (const end = performance.now() + waitMsMax; performance.now() < end;) {
      Atomics.wait(sleeping, 0, 0, retryMs);
      if (this.#emptyWal()) return true;
      // A snapshot that began after the last abort, but before the others had ended, blocks the WAL, too.
      this.#abortSnapshots(bytes);
    }
    return false;
  }

  /** Asks for it again after more bytes; while the WAL is full, after some time. */
  #abortSnapshots(bytes: number): void {
    const ms = performance.now();
    const isDue = bytes >= fullBytes && ms >= this.#abortedAt.ms + abortIntervalMsMin;
    if (!isDue && bytes < this.#abortedAt.bytes + abortStepBytes) return;
    this.#abortedAt = { bytes, ms };
    this.#notify('blocked');
  }

  /** Checkpoints and truncates the WAL. Returns false if a reader or writer prevents it. */
  #emptyWal(): boolean {
    const timeout = String(readPragma(this.#db, 'busy_timeout'));
    this.#db.exec('PRAGMA busy_timeout = 0');
    try {
      if (this.#empty.get()?.['busy'] !== 0n) return false;
    } finally {
      this.#db.exec(`PRAGMA busy_timeout = ${timeout}`);
    }
    this.#rows = 0;
    this.#abortedAt = { bytes: 0, ms: -Infinity };
    this.#fullReason = undefined;
    return true;
  }

  #walBytes(): number {
    return statSync(this.#walPath, { throwIfNoEntry: false })?.size ?? 0;
  }
}
