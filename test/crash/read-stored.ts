/** What a killed service left on disk: its plants, and whether they are sound. Writes nothing. */
import { databasePath } from '../../src/store/sqlite/data-folder.ts';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { checkDatabase } from '../../src/store/sqlite/maintenance/check.ts';
import { readPlants } from '../support/read-plants.ts';

export interface StoredPlants {
  readonly rows: ReadonlyMap<bigint, NewPlant>;
  /** What is damaged, or does not fit the plants; empty when all is well. */
  readonly faults: readonly string[];
}

/** Reads all plants of a data folder, beside a running service or without one. */
export function readStored(folder: string): StoredPlants {
  return { rows: readPlants(folder), faults: checkDatabase(databasePath(folder)).faults };
}
