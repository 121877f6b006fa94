/** What becomes of writes and reads, for the log of the service. */
import type { ErrorCode } from '../domain/errors.ts';
import type { BatchReport } from './group-commit.ts';

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

export interface StoreObserver {
  /** Called once, with a function that returns the load of the queue. */
  onOpen?(load: () => QueueLoad): void;
  /** A batch was committed, or failed. Called before its writes are settled. */
  onBatch(report: BatchReport): void;
  /** A write was refused before it was in a batch. */
  onRefused(refusal: StoreRefusal): void;
  /** A read failed; undefined: one has succeeded after that. */
  onRead(refusal: StoreRefusal | undefined): void;
}
