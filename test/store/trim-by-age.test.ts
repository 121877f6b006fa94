/** Which changes and deliveries are too old when clocks are wrong: times are not in order, or an instance is ahead. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { ChangeLimits } from '../../src/domain/change-log.ts';
import type { Store } from '../../src/domain/store.ts';
import { trimmedMax } from '../../src/store/change-trimmer.ts';
import { openStore } from '../../src/store/open-store.ts';
import { nowMs, trimQuery } from '../../src/store/postgres/tables/change-rows.ts';
import { prepareTrim } from '../../src/store/sqlite/commit-batch.ts';
import { openForWriting, readValue } from '../../src/store/sqlite/connection.ts';
import { databasePath } from '../../src/store/sqlite/data-folder.ts';
import { requireOurs } from '../../src/store/sqlite/migrations.ts';
import { toDelivery, webhook } from './behaviour-webhooks.ts';
import { makeTemporaryFolder } from './open-temporary-store.ts';
import { createMigratedDatabase, openOn, withConnection } from './postgres/open-temporary-database.ts';
import { findServer } from './postgres/servers.ts';

const hourMs = 3_600_000;

/** Makes a log with changes that are so many hours old, trims it, and resolves to the number of changes that are left. */
type KeptOf = (t: TestContext, ages: readonly number[], limits: ChangeLimits) => Promise<number>;

const adapters: Readonly<Record<string, KeptOf>> = {
  SQLite: async (t, ages, limits) => {
    const { folder, remove } = await makeTemporaryFolder();
    t.after(remove);
    await fill(await openStore({ folder }, { limits: { writesMax: 10_000, bytesMax: 1_000_000 } }), ages.length);
    const db = openForWriting(databasePath(folder), requireOurs);
    t.after(() => db.close());
    const now = Date.now();
    for (const [index, age] of ages.entries())
      db.exec(`UPDATE changes SET at = ${now - age * hourMs} WHERE position = ${index + 1}`);
    prepareTrim(db)(limits);
    return Number(readValue(db, 'SELECT last - trimmed FROM change_log'));
  },
  PostgreSQL: async (t, ages, limits) => {
    const database = await createMigratedDatabase(await findServer(18));
    t.after(() => database.remove());
    await fill(await openOn(database), ages.length);
    return withConnection(database, async (connection) => {
      const run = async (text: string): Promise<unknown> => (await connection.run(text, [], 5_000)).rows[0]?.[0];
      for (const [index, age] of ages.entries())
        await run(`UPDATE changes SET at = ${nowMs} - ${age * hourMs} WHERE position = ${index + 1}`);
      const { statement, values } = trimQuery(limits);
      await connection.run(statement, values, 5_000);
      return Number(await run('SELECT last - trimmed FROM change_log'));
    });
  },
};

for (const [adapter, keptOf] of Object.entries(adapters)) {
  describe(`the age of changes on ${adapter}`, () => {
    for (const { about, ages, recordsMax = 100, kept } of [
      { about: 'a change of the past costs none before it', ages: [1, 5, 1], kept: 3 },
      { about: 'changes that are too old go, up to the first that is not', ages: [5, 5, 1, 1], kept: 2 },
      { about: 'all go if all are too old', ages: [5, 5], kept: 0 },
      { about: 'a change of the future goes by the number of changes', ages: [-90, 1, 1], recordsMax: 2, kept: 2 },
    ])
      it(about, async (t) => {
        assert.equal(await keptOf(t, ages, { recordsMax, ageMsMax: 2 * hourMs }), kept);
      });
  });
}

it('an instance whose clock is ahead removes nothing that is young by the clock of PostgreSQL', async (t) => {
  const database = await createMigratedDatabase(await findServer(18));
  t.after(() => database.remove());
  const changeLimits = { recordsMax: 1_000_000, ageMsMax: 30 * 24 * hourMs };
  const young = toDelivery(1);
  const now = Date.now.bind(Date);
  t.mock.method(Date, 'now', () => now() + 31 * 24 * hourMs);
  const store = await openOn(database, undefined, changeLimits);
  await store.webhooks.insert(webhook);
  const { settings, progress } = webhook;
  await store.webhooks.saveProgress(settings.id, progress, young);
  await store.webhooks.saveProgress(settings.id, { ...progress, step: 2 }, toDelivery(2));
  await fill(store, trimmedMax);
  t.mock.restoreAll();
  const reader = await openOn(database);
  t.after(() => reader.close());
  assert.equal((await reader.changes.history(1n, 10)).length, 1);
  assert.deepEqual(await reader.webhooks.findDelivery(settings.id, young.id), young);
});

/** Creates so many plants, brings their changes to the log, and closes the store. */
async function fill(store: Store, plants: number): Promise<void> {
  const rows = Array.from({ length: plants }, (_, index) => ({ id: BigInt(index + 1), name: 'fern' }));
  await store.plants.import(rows, { onConflict: 'fail', dryRun: false });
  await store.changes.latest();
  await store.close();
}
