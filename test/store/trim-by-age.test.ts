/** Which changes are too old when their times are not in the order of the log: the clock was wrong for a while. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Store } from '../../src/domain/store.ts';
import type { TrimBounds } from '../../src/store/change-trimmer.ts';
import { openStore } from '../../src/store/open-store.ts';
import { trimQuery } from '../../src/store/postgres/tables/change-rows.ts';
import { prepareTrim } from '../../src/store/sqlite/commit-batch.ts';
import { openForWriting, readValue } from '../../src/store/sqlite/connection.ts';
import { databasePath } from '../../src/store/sqlite/data-folder.ts';
import { requireOurs } from '../../src/store/sqlite/migrations.ts';
import { makeTemporaryFolder } from './open-temporary-store.ts';
import { createMigratedDatabase, openOn, withConnection } from './postgres/open-temporary-database.ts';
import { findServer } from './postgres/servers.ts';

/** Makes a log with changes of these times, trims it, and resolves to the number of changes that are left. */
type KeptOf = (t: TestContext, times: readonly number[], bounds: TrimBounds) => Promise<number>;

const adapters: Readonly<Record<string, KeptOf>> = {
  SQLite: async (t, times, bounds) => {
    const { folder, remove } = await makeTemporaryFolder();
    t.after(remove);
    await fill(await openStore({ folder }, { limits: { writesMax: 10_000, bytesMax: 1_000_000 } }), times.length);
    const db = openForWriting(databasePath(folder), requireOurs);
    t.after(() => db.close());
    for (const [index, at] of times.entries()) db.exec(`UPDATE changes SET at = ${at} WHERE position = ${index + 1}`);
    prepareTrim(db)(bounds);
    return Number(readValue(db, 'SELECT last - trimmed FROM change_log'));
  },
  PostgreSQL: async (t, times, bounds) => {
    const database = await createMigratedDatabase(await findServer(18));
    t.after(() => database.remove());
    await fill(await openOn(database), times.length);
    return withConnection(database, async (connection) => {
      const run = async (text: string): Promise<unknown> => (await connection.run(text, [], 5_000)).rows[0]?.[0];
      for (const [index, at] of times.entries())
        await run(`UPDATE changes SET at = ${at} WHERE position = ${index + 1}`);
      const { statement, values } = trimQuery(bounds);
      await connection.run(statement, values, 5_000);
      return Number(await run('SELECT last - trimmed FROM change_log'));
    });
  },
};

for (const [adapter, keptOf] of Object.entries(adapters)) {
  describe(`the age of changes on ${adapter}`, () => {
    for (const { about, times, recordsMax = 100, kept } of [
      { about: 'a change of the past costs none before it', times: [50, 10, 50], kept: 3 },
      { about: 'changes that are too old go, up to the first that is not', times: [10, 10, 50, 50], kept: 2 },
      { about: 'all go if all are too old', times: [10, 10], kept: 0 },
      { about: 'a change of the future goes by the number of changes', times: [900, 50, 50], recordsMax: 2, kept: 2 },
    ])
      it(about, async (t) => {
        assert.equal(await keptOf(t, times, { recordsMax, oldestAt: 40 }), kept);
      });
  });
}

/** Creates so many plants, brings their changes to the log, and closes the store. */
async function fill(store: Store, plants: number): Promise<void> {
  for (let id = 1; id <= plants; id++) await store.plants.create({ id: BigInt(id), name: 'fern' });
  await store.changes.latest();
  await store.close();
}
