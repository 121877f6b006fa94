/** One batch of writes as one transaction, and the checkpoints between batches. Runs on the writer thread; messages are not its matter. */
import type { DatabaseSync } from 'node:sqlite';
import type { ErrorCode } from '../../domain/errors.ts';
import type { Outcome, Write } from '../write.ts';
import { preparePlantWrites } from './plant-rows.ts';
import { prepareTokenWrites } from './token-rows.ts';

/**
 * Length of the write-ahead log, in frames of one page (4,120 bytes), from which on it is copied into the database: 48 MB. A checkpoint
 * holds up one batch for some tens of milliseconds, so it should be rare; measured with random ids, one in 12,000 creates waits for it.
 */
const checkpointFrames = 12_000;
/** Length of the log at which writes are refused until a reader that holds it lets go; with one batch more it stays below 64 MB. */
const logFramesMax = 13_500;

export interface BatchCommitter {
  /** Commits the writes in order. Throws what SQLite throws; then nothing of the batch is stored, or `toErrorCode` says that this is unknown. */
  readonly commit: (writes: readonly Write[]) => Outcome[];
  /** Copies the log into the database if it has grown long. Call it when nobody waits for an answer. */
  readonly checkpointIfLong: () => void;
  /** Throws when the log has no room for one batch more, which is so only while a reader, or a full disk, keeps it from being copied. */
  readonly requireRoom: () => void;
}

/** @throws Error when a statement does not fit the schema. */
export function prepareCommitter(db: DatabaseSync): BatchCommitter {
  const apply = prepareApply(db);
  const measureLog = db.prepare('PRAGMA wal_checkpoint(NOOP)');
  const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  const begin = db.prepare('BEGIN IMMEDIATE');
  const end = db.prepare('COMMIT');
  const logFrames = (): number => {
    const { log, checkpointed } = measureLog.get() as { log: bigint; checkpointed: bigint };
    // A log that is copied whole is written from its start again.
    return log === checkpointed ? 0 : Number(log);
  };
  return {
    checkpointIfLong: () => {
      if (logFrames() >= checkpointFrames) checkpoint.get();
    },
    requireRoom: () => {
      if (logFrames() < logFramesMax) return;
      checkpoint.get();
      if (logFrames() >= logFramesMax) throw new LogHeldError('a reader keeps the write-ahead log from being copied');
    },
    commit: (writes) => {
      begin.run();
      try {
        const outcomes = writes.map(apply);
        end.run();
        return outcomes;
      } catch (error) {
        if (db.isTransaction) db.exec('ROLLBACK');
        throw error;
      }
    },
  };
}

/** Thrown when a reader, perhaps of another process, keeps the log from being copied and written anew. */
class LogHeldError extends Error {
  override readonly name = 'LogHeldError';
}

/** Result codes of SQLite (sqlite.org/rescode.html) after which nothing was written and a later try can succeed. */
const passingCodes = new Map<number, ErrorCode>([
  [5, 'store_busy'],
  [13, 'store_full'],
]);

/** What a failed batch means: `store_failed` when the process must not write on, since the state of the disk is unknown. */
export function toErrorCode(error: unknown): ErrorCode {
  if (error instanceof LogHeldError) return 'store_busy';
  const code =
    error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
  // The low byte of an extended result code is the primary one.
  return (code === undefined ? undefined : passingCodes.get(code & 0xff)) ?? 'store_failed';
}

function prepareApply(db: DatabaseSync): (write: Write) => Outcome {
  const plants = preparePlantWrites(db);
  const tokens = prepareTokenWrites(db);
  return (write) => {
    switch (write.kind) {
      case 'create':
        return plants.create(write.plant);
      case 'insert-token':
        if (write.onlyFirst) return tokens.insertFirst(write.token) ? 'done' : 'unchanged';
        tokens.insert(write.token);
        return 'done';
      case 'revoke-token':
        return tokens.revoke(write.id, write.revokedAt) ? 'done' : 'unchanged';
      case 'touch-token':
        tokens.touch(write.id, write.usedAt);
        return 'done';
    }
  };
}
