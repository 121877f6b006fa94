/** Reads plants from the store, without the service. Writes nothing. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { NewPlant } from '../../src/domain/schemas.ts';
import { readDatabase } from './store-under-test.ts';

/** Returns plants by id, all or those of an SQL condition. The service may be running. */
export function readPlants(dataDir: string, where = 'true'): Map<bigint, NewPlant> {
  const plants = readDatabase(dataDir, where);
  if (plants !== undefined) return plants;
  const db = new DatabaseSync(join(dataDir, 'plants.db'), { readOnly: true, readBigInts: true, timeout: 5_000 });
  try {
    const rows = db.prepare(`SELECT id, name, tag FROM plants WHERE ${where}`).all() as unknown as Row[];
    return new Map(rows.map(({ id, name, tag }) => [id, tag === null ? { id, name } : { id, name, tag }]));
  } finally {
    db.close();
  }
}

interface Row {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
}
