/** What becomes of writes and reads, for the log of the service. */
import type { ErrorCode } from '../domain/errors.ts';

/** Why a write or a read was refused. */
export interface StoreRefusal {
  readonly code: ErrorCode;
  /** Such as the message of the database. */
  readonly reason?: string | undefined;
}

/** What waits or is being committed. */
export interface QueueLoad {
  readonly writes: number;
  readonly bytes: number;
}

/** The result of one commit. */
export interface CommitSummary {
  readonly writes: number;
  readonly bytes: number;
  /** How long its oldest write waited for the commit to start, in milliseconds. */
  readonly waitedMs: number;
  /** How long the commit took, in milliseconds. */
  readonly committedMs: number;
  /** Why it failed; absent if it was committed. */
  readonly failure?: { readonly code: ErrorCode; readonly cause: unknown };
}

export interface StoreObserver {
  /** Called once, with a function that returns the load of the queue. */
  onOpen?(load: () => QueueLoad): void;
  /** A commit has ended. Called before its writes are settled. */
  onCommit(summary: CommitSummary): void;
  /** A write was refused before a commit had it. */
  onRefused(refusal: StoreRefusal): void;
  /** Until the next commit, writes are refused because a reader keeps the write-ahead log of SQLite from being reused. */
  onLogFull(): void;
  /** A read failed; undefined: one has succeeded after that. */
  onRead(refusal: StoreRefusal | undefined): void;
}
