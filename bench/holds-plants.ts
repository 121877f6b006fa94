/** Reads a store past its service: whether it holds exactly the plants from index 0 on. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { plantAt } from './plants.ts';

/** Rows that are compared field by field, evenly over all of them. */
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
