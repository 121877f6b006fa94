/** What becomes of writes and reads, for the log of the service. */
import type { ErrorCode } from '../domain/errors.ts';
import type { EndedWrite } from '../observe/traces.ts';
import type { Write } from './write.ts';

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

/** The result of one batch. */
export interface BatchReport {
  readonly writes: number;
  readonly bytes: number;
  /** How long its oldest write waited for the commit to start, in milliseconds. */
  readonly waitedMs: number;
  /** How long the commit took, in milliseconds. */
  readonly committedMs: number;
  /** Why it failed; absent if it was committed. */
  readonly failure?: { readonly code: ErrorCode; readonly cause: unknown };
}

/**
 * Called, as part of the request, for each write that is accepted. Returns what to call before it
 * is settled; undefined if it is not followed.
 */
export type FollowWrite = (kind: Write['kind']) => ((ended: EndedWrite) => void) | undefined;

export interface StoreObserver {
  /** Called once, with a function that returns the load of the queue. */
  onOpen?(load: () => QueueLoad): void;
  /** Called for each write that is accepted. */
  readonly onWrite?: FollowWrite | undefined;
  /** A batch was committed, or failed. Called before its writes are settled. */
  onBatch(report: BatchReport): void;
  /** A write was refused before it was in a batch. */
  onRefused(refusal: StoreRefusal): void;
  /** A read failed; undefined: one has succeeded after that. */
  onRead(refusal: StoreRefusal | undefined): void;
}
