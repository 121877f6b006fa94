/**
 * Commits writes as one transaction, or each alone after a failure by a bug of ours. Knows no thread
 * messages and no WAL.
 */
import type { DatabaseSync } from 'node:sqlite';
import { trimmedMax, type TrimOptions } from '../change-trimmer.ts';
import { isPlantWrite, isTokenWrite, type Refusal, type Result, type Write } from '../write.ts';
import { StoreError, toErrorCode, toReason } from './error-code.ts';
import { prepareRemoveOldest } from './tables/change-writes.ts';
import { preparePlantWrites } from './tables/plant-writes.ts';
import { prepareWriteToken } from './tables/token-rows.ts';
import { prepareWriteWebhook } from './tables/webhook-rows.ts';

/**
 * Returns a function that commits writes in order and returns one result for each. It refuses a
 * write with `internal` if our code fails on it, and commits the others. It throws what SQLite
 * throws otherwise: nothing is stored then, or `toErrorCode` says that it is unknown.
 * @throws Error if a statement does not match the schema.
 */
export function prepareCommit(db: DatabaseSync): (writes: readonly Write[]) => (Result | Refusal)[] {
  const plants = preparePlantWrites(db);
  const writeToken = prepareWriteToken(db);
  const writeWebhook = prepareWriteWebhook(db);
  const transact = prepareTransaction(db);
  const apply = (write: Write): Result | Refusal => {
    if (isPlantWrite(write)) return plants.apply(write);
    return isTokenWrite(write) ? writeToken(write) : writeWebhook(write);
  };
  const commit = (writes: readonly Write[]): (Result | Refusal)[] => {
    try {
      return transact(() => {
        const results = writes.map(apply);
        plants.finish();
        return results;
      });
    } catch (error) {
      plants.reset();
      throw error;
    }
  };
  /** Commits one write; refuses it on failure, unless the state on disk is unknown. */
  const commitAlone = (write: Write): (Result | Refusal)[] => {
    try {
      return commit([write]);
    } catch (error) {
      const code = toErrorCode(error);
      if (code === 'store_failed') throw error;
      return [{ refused: code, reason: toReason(error) }];
    }
  };
  return (writes) => {
    try {
      return commit(writes);
    } catch (error) {
      if (toErrorCode(error) !== 'internal') throw error;
      // A write triggers a bug of ours; commit the others without it.
      return writes.flatMap(commitAlone);
    }
  };
}

/**
 * Returns a function that removes the oldest changes beyond the limits, and returns whether there
 * may be more to remove.
 * @throws Error if a statement does not match the schema.
 */
export function prepareTrim(db: DatabaseSync): (options: TrimOptions) => boolean {
  const transact = prepareTransaction(db);
  const removeOldest = prepareRemoveOldest(db);
  return (options) => transact(() => removeOldest(options) === trimmedMax);
}

/** Runs work as one transaction, which is rolled back if the work or the commit throws. */
function prepareTransaction(db: DatabaseSync): <Value>(work: () => Value) => Value {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const end = db.prepare('COMMIT');
  return (work) => {
    begin.run();
    try {
      const result = work();
      end.run();
      return result;
    } catch (error) {
      rollBack(db);
      throw error;
    }
  };
}

/**
 * @throws StoreError `store_failed` if the transaction cannot be ended; the connection is unusable
 * then.
 */
function rollBack(db: DatabaseSync): void {
  try {
    // SQLite rolls back by itself after some errors.
    if (db.isTransaction) db.exec('ROLLBACK');
  } catch (cause) {
    throw new StoreError('store_failed', 'Cannot roll back the transaction', { cause });
  }
}
