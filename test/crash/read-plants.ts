/** Reads the database file from outside of the service, as the judge of what is on disk. Writes nothing. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { checkDatabase } from '../../src/store/sqlite/check.ts';

export interface StoredPlants {
  readonly rows: ReadonlyMap<bigint, NewPlant>;
  /** What is damaged, or does not fit the plants; empty when all is well. */
  readonly faults: readonly string[];
}

/** Reads all plants of a data folder, beside a running service or without one. */
export function readPlants(folder: string): StoredPlants {
  const path = join(folder, 'plants.db');
  const db = new DatabaseSync(path, { readOnly: true, readBigInts: true, timeout: 5_000 });
  try {
    const rows = db.prepare('SELECT id, name, tag FROM plants').all() as unknown as Row[];
    const plants = rows.map(({ id, name, tag }): NewPlant => (tag === null ? { id, name } : { id, name, tag }));
    return { rows: new Map(plants.map((plant) => [plant.id, plant])), faults: checkDatabase(path).faults };
  } finally {
    db.close();
  }
}

interface Row {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
}
