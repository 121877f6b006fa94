/** Reads the database file from outside of the service, as the judge of what is on disk. Writes nothing. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { NewPlant } from '../../src/domain/schemas.ts';

export interface StoredPlants {
  readonly rows: ReadonlyMap<bigint, NewPlant>;
  /** `ok`, or what SQLite finds wrong. */
  readonly integrity: string;
}

/** Reads all plants of a data folder, beside a running service or without one. */
export function readPlants(folder: string): StoredPlants {
  const db = new DatabaseSync(join(folder, 'plants.db'), { readOnly: true, readBigInts: true, timeout: 5_000 });
  try {
    const rows = db.prepare('SELECT id, name, tag FROM plants').all() as unknown as Row[];
    const integrity = db
      .prepare('PRAGMA integrity_check')
      .all()
      .map((row) => String(row['integrity_check']))
      .join('; ');
    const plants = rows.map(({ id, name, tag }): NewPlant => (tag === null ? { id, name } : { id, name, tag }));
    return { rows: new Map(plants.map((plant) => [plant.id, plant])), integrity };
  } finally {
    db.close();
  }
}

interface Row {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
}
