/** Ages on SQLite. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { openQueuedStore } from '../../src/store/queued-store.ts';
import { prepareCommit, prepareTrim } from '../../src/store/sqlite/commit.ts';
import { migrate } from '../../src/store/sqlite/migrations.ts';
import { prepareChangeReads } from '../../src/store/sqlite/tables/change-reads.ts';
import { prepareRemoveOldest } from '../../src/store/sqlite/tables/change-writes.ts';
import { prepareTokenReads } from '../../src/store/sqlite/tables/token-rows.ts';
import { prepareWebhookReads } from '../../src/store/sqlite/tables/webhook-rows.ts';
import { describeAges } from './trim-by-age.ts';

describeAges('SQLite', async (t) => {
  const db = new DatabaseSync(':memory:', { readBigInts: true });
  t.after(() => db.close());
  migrate(db);
  const commit = prepareCommit(db);
  const trim = prepareTrim(db);
  const unused = {} as never;
  const store = openQueuedStore(
    {
      ...{ commitsMax: 1, plants: unused, trimChanges: unused, ping: unused, close: unused, failed: unused },
      commit: async (writes) => commit(writes),
      changes: prepareChangeReads(db),
      tokens: prepareTokenReads(db),
      webhooks: prepareWebhookReads(db),
    },
    { limits: { writesMax: 100, bytesMax: 1_000_000 } },
  );
  return {
    store,
    pass: async (wallMs) => db.exec(`UPDATE change_log SET served_at = ${Date.now() - wallMs}`),
    trim: async (options) => void trim(options),
    setTimes: async (at) => db.exec(`UPDATE changes SET at = ${at}`),
    groups: async () =>
      db
        .prepare('SELECT name FROM change_groups ORDER BY name')
        .all()
        .map(({ name }) => String(name)),
  };
});

it('a trim goes through no index as a whole', (t) => {
  const db = new DatabaseSync(':memory:', { readBigInts: true });
  t.after(() => db.close());
  migrate(db);
  const prepared = t.mock.method(db, 'prepare');
  prepareRemoveOldest(db);
  const statements = prepared.mock.calls.map(({ arguments: [sql] }) => sql);
  const plans = statements.flatMap((sql) => db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all());
  assert.ok(plans.length > statements.length);
  assert.deepEqual(
    plans.map(({ detail }) => String(detail)).filter((detail) => /^SCAN .* USING /.test(detail)),
    [],
  );
});
