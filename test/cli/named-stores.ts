/** Stores whose plants all have one name, and what a store or a backup of one holds. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { checkStore } from '../../src/store/maintenance.ts';
import { openStore } from '../../src/store/open-store.ts';
import { readPlants } from '../support/store-under-test.ts';

/** A closed store whose plants all have this name. */
export async function makeStore(folder: string, name: string, plants = 300): Promise<void> {
  const store = await openStore({ folder }, { limits: { writesMax: 10_000, bytesMax: 1_000_000 } });
  const rows = Array.from({ length: plants }, (_, index) => ({ id: BigInt(index), name, tag: name }));
  await store.plants.import(rows, { onConflict: 'replace', dryRun: false });
  await store.close();
}

/** The one name that all 300 plants of a sound store have. */
export async function nameIn(folder: string): Promise<string> {
  const { plants, problems } = await checkStore({ folder });
  assert.deepEqual([plants, problems], [300, []]);
  const [name = '', ...others] = new Set([...(await readPlants(folder)).values()].map((plant) => plant.name));
  assert.deepEqual(others, [], 'the plants of one store, and no others');
  return name;
}

/** Returns the name of a plant in a backup. */
export function nameInBackup(file: string): string {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    assert.equal(db.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok');
    const rows = db.prepare('SELECT name, count(*) AS plants FROM plants GROUP BY name').all();
    assert.deepEqual(
      rows.map(({ plants }) => plants),
      [300],
    );
    return String(rows[0]?.['name']);
  } finally {
    db.close();
  }
}
