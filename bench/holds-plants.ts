/** Checks the database file for exactly the plants from index 0. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { plantAt } from './plants.ts';

/** Number of rows to compare field by field, evenly spread. */
const sampleCount = 10_000;

export function holdsPlants(folder: string, rows: number): boolean {
  const db = new DatabaseSync(join(folder, 'plants.db'), { readOnly: true, readBigInts: true, timeout: 5_000 });
  try {
    const find = db.prepare('SELECT name, tag FROM plants WHERE id = ?');
    const step = Math.max(1, Math.trunc(rows / sampleCount));
    for (let index = 0; index < rows; index += step) {
      const { id, name, tag } = plantAt(index);
      const row = find.get(id);
      if (row?.['name'] !== name || row['tag'] !== tag) return false;
    }
    return Number(db.prepare('SELECT count(*) AS rows FROM plants').get()?.['rows']) === rows;
  } finally {
    db.close();
  }
}
