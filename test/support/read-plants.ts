/** The database file read from outside of the service, as the judge of what is on disk. Writes nothing; requests and the harness are not here. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { NewPlant } from '../../src/domain/schemas.ts';

/** Every stored plant by its id, read past the service out of its file; the service may run. */
export function readPlants(dataDir: string): Map<bigint, NewPlant> {
  const db = new DatabaseSync(join(dataDir, 'plants.db'), { readOnly: true, readBigInts: true, timeout: 5_000 });
  try {
    const rows = db.prepare('SELECT id, name, tag FROM plants').all() as unknown as Row[];
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
