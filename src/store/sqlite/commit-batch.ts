/** One batch of writes as one transaction. Runs on the writer thread; messages and the log are not its matter. */
import type { DatabaseSync } from 'node:sqlite';
import type { Refusal, Result, Write } from '../write.ts';
import type { IndexTuning } from './tables/plant-indexes.ts';
import { type PlantWrites, preparePlantWrites } from './tables/plant-writes.ts';
import { prepareTokenWrites, type TokenWrites } from './tables/token-rows.ts';

/** Entries of each index that are merged in one transaction of their own: it adds 3 MB to the log at most. */
const mergeRows = 500;
export interface BatchCommitter {
  /** Commits the writes in order. Throws what SQLite throws; then nothing of the batch is stored, or `toErrorCode` says that this is unknown. */
  readonly commit: (writes: readonly Write[]) => (Result | Refusal)[];
  /** Whether a plant that is created from now on waits for the indexes. */
  readonly mustMerge: () => boolean;
  /** Whether any waits. */
  readonly isBehind: () => boolean;
  /** Commits a part of what waits. Throws as `commit`. */
  readonly mergeSome: () => void;
}

/** @throws Error when a statement does not fit the schema. */
export function prepareCommitter(db: DatabaseSync, tuning: IndexTuning): BatchCommitter {
  const plants = preparePlantWrites(db, tuning);
  const tokens = prepareTokenWrites(db);
  const begin = db.prepare('BEGIN IMMEDIATE');
  const end = db.prepare('COMMIT');
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
    isBehind: () => plants.isBehind(),
    mergeSome: () => transact(() => plants.mergeIndexes(mergeRows)),
    commit: (writes) =>
      transact(() => {
        plants.begin();
        const outcomes = writes.map((write) => apply(write, plants, tokens));
        plants.finish();
        return outcomes;
      }),
  };
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
