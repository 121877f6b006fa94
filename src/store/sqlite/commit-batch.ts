/** One batch of writes as one transaction, and the checkpoints between batches. Runs on the writer thread; messages are not its matter. */
import type { DatabaseSync } from 'node:sqlite';
import type { ErrorCode } from '../../domain/errors.ts';
import type { Refusal, Result, Write } from '../write.ts';
import { readPragma } from './connection.ts';
import type { IndexTuning } from './plant-indexes.ts';
import { type PlantWrites, preparePlantWrites } from './plant-writes.ts';
import { prepareTokenWrites, type TokenWrites } from './token-rows.ts';

/**
 * Length of the write-ahead log, in bytes, from which on it is copied into the database. A checkpoint holds up one batch for some tens of
 * milliseconds, so it should be rare; measured with random ids in a large store, one in 170 creates waits for it.
 */
const checkpointBytes = 45_000_000;
/** Entries of each index that are merged in one transaction of their own: it adds 2,000 pages to the log at most. */
const mergeRows = 1_000;
/** Length of the log, in bytes, at which writes are refused until a reader that holds it lets go; with one batch more it stays below 64 MB. */
const logBytesMax = 58_000_000;
/** Bytes of the log for each page beside the page itself (sqlite.org/fileformat2.html#walformat). */
const frameHeaderBytes = 24;

export interface BatchCommitter {
  /** Commits the writes in order. Throws what SQLite throws; then nothing of the batch is stored, or `toErrorCode` says that this is unknown. */
  readonly commit: (writes: readonly Write[]) => (Result | Refusal)[];
  /** Whether a new plant is missing in the indexes until `mergeSome` has returned false. */
  readonly mustMerge: () => boolean;
  /** Commits a part of what waits for the indexes; false when nothing waits. Throws as `commit`. */
  readonly mergeSome: () => boolean;
  /** Copies the log into the database if it has grown long; false when a reader holds it. Call it when nobody waits for an answer. */
  readonly checkpointIfLong: () => boolean;
  /** Throws when the log has no room for one batch more, which is so only while a reader, or a full disk, keeps it from being copied. */
  readonly requireRoom: () => void;
}

/** @throws Error when a statement does not fit the schema. */
export function prepareCommitter(db: DatabaseSync, tuning: IndexTuning): BatchCommitter {
  const plants = preparePlantWrites(db, tuning);
  const tokens = prepareTokenWrites(db);
  const measureLog = db.prepare('PRAGMA wal_checkpoint(NOOP)');
  const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  const begin = db.prepare('BEGIN IMMEDIATE');
  const end = db.prepare('COMMIT');
  const frameBytes = Number(readPragma(db, 'page_size')) + frameHeaderBytes;
  const logBytes = (): number => {
    const { log, checkpointed } = measureLog.get() as { log: bigint; checkpointed: bigint };
    // A log that is copied whole is written from its start again.
    return log === checkpointed ? 0 : Number(log) * frameBytes;
  };
  const transact = <Outcome>(work: () => Outcome): Outcome => {
    begin.run();
    try {
      const outcome = work();
      end.run();
      return outcome;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      plants.forget();
      throw error;
    }
  };
  return {
    mustMerge: () => plants.mustWait(),
    mergeSome: () => transact(() => plants.mergeIndexes(mergeRows)),
    checkpointIfLong: () => {
      if (logBytes() < checkpointBytes) return true;
      checkpoint.get();
      return logBytes() < checkpointBytes;
    },
    requireRoom: () => {
      if (logBytes() < logBytesMax) return;
      checkpoint.get();
      if (logBytes() >= logBytesMax) throw new LogHeldError('a reader keeps the write-ahead log from being copied');
    },
    commit: (writes) =>
      transact(() => {
        plants.begin();
        const outcomes = writes.map((write) => apply(write, plants, tokens));
        plants.finish();
        return outcomes;
      }),
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

function apply(write: Write, plants: PlantWrites, tokens: TokenWrites): Result | Refusal {
  switch (write.kind) {
    case 'create':
      return plants.create(write.plant);
    case 'put':
      return plants.put(write.plant, write.condition);
    case 'patch':
      return plants.patch(write.id, write.patch, write.condition);
    case 'delete':
      return plants.delete(write.id, write.condition);
    case 'import':
      return plants.import(write.rows, write.options);
    case 'insert-token':
      if (write.onlyFirst) return tokens.insertFirst(write.token);
      tokens.insert(write.token);
      return true;
    case 'revoke-token':
      return tokens.revoke(write.id, write.revokedAt);
    case 'touch-token':
      tokens.touch(write.id, write.usedAt);
      return 'touched';
  }
}
