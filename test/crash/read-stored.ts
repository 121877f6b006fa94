/** What a killed service left on disk: its plants, and whether they are sound. Writes nothing. */
import { DatabaseSync } from 'node:sqlite';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { databasePath } from '../../src/store/sqlite/data-folder.ts';
import { checkDatabase } from '../../src/store/sqlite/maintenance/check.ts';
import { readPlants } from '../support/store-under-test.ts';
import { isOtherSql, type LargeStore } from './large-store.ts';

export interface StoredPlants {
  readonly rows: ReadonlyMap<bigint, NewPlant>;
  /** What is damaged or inconsistent; empty when all is well. */
  readonly faults: readonly string[];
}

/** Reads and checks all plants of a data folder, while a service runs on it or not. */
export async function readStored(folder: string): Promise<StoredPlants> {
  return {
    rows: await readPlants(folder),
    faults: [...checkDatabase(databasePath(folder)).problems, ...findUnlogged(folder)],
  };
}

/** Each plant must be in the change log. That the log agrees with the plant is part of every check. */
function findUnlogged(folder: string): string[] {
  const db = new DatabaseSync(databasePath(folder), { readOnly: true, timeout: 5_000 });
  try {
    const found = Number(db.prepare('SELECT count(*) AS n FROM plants WHERE position IS NULL').get()?.['n']);
    return found === 0 ? [] : [`${found} plants are not in the change log`];
  } finally {
    db.close();
  }
}

/**
 * Reads a copy of a large store like `readStored`: returns only the plants that are not of it, and
 * checks only that these are unchanged.
 */
export async function readAdded(folder: string, { plants }: LargeStore): Promise<StoredPlants> {
  const { hasId, isUnchanged } = isOtherSql(plants);
  const db = new DatabaseSync(databasePath(folder), { readOnly: true, readBigInts: true, timeout: 5_000 });
  try {
    const unchanged = Number(db.prepare(`SELECT count(*) AS n FROM plants WHERE ${isUnchanged}`).get()?.['n']);
    return {
      rows: await readPlants(folder, `NOT (${hasId})`),
      faults: unchanged === plants ? [] : [`${plants - unchanged} plants of the large store are missing or changed`],
    };
  } finally {
    db.close();
  }
}
