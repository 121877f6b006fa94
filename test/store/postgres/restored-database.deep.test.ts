/** A database out of a backup, which tools of PostgreSQL made and restored: docs/scaling.md says what is left to do. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { toDelivery, withId } from '../behaviour-webhooks.ts';
import { createDatabase, createMigratedDatabase, openOn, withConnection } from './open-temporary-database.ts';
import { findServer } from './servers.ts';

const docs = readFileSync(join(import.meta.dirname, '../../../docs/scaling.md'), 'utf8');

it('a restored database ends the positions of its change log with the statement of the documentation', async (t) => {
  const server = await findServer(18);
  const original = await createMigratedDatabase(server);
  t.after(() => original.remove());
  const before = await openOn(original);
  await before.plants.create({ id: 1n, name: 'kept' });
  const place = await before.changes.latest();
  const delivery = toDelivery(1, { position: place });
  const { settings, progress } = withId('w', { position: place });
  await before.webhooks.insert({ settings, progress });
  await before.webhooks.saveProgress('w', progress, delivery);
  assert.equal((await before.changes.read({ limit: 9 })).changes.length, 1);
  await before.close();
  const restored = await createDatabase(server, original.name);
  t.after(() => restored.remove());
  const later = await openOn(original);
  await later.plants.create({ id: 2n, name: 'undone by the restore' });
  const position = await later.changes.latest();
  await later.close();

  const [, statements = ''] = /psql .* <<'SQL'\n(.*?)\nSQL\n/s.exec(docs) ?? [];
  await withConnection(restored, async (connection) => {
    for (const statement of statements.split(';\n')) await connection.run(statement, [], 60_000);
  });
  const store = await openOn(restored);
  t.after(() => store.close());
  for (const id of [3n, 4n]) await store.plants.create({ id, name: 'new' });
  await assert.rejects(store.changes.read({ after: position, limit: 9 }), { code: 'position_unknown' });
  assert.match(await store.changes.latest(), /^[0-9a-f]{8}-3$/);
  const { position: renewed = '' } = (await store.webhooks.find('w'))?.progress ?? {};
  assert.equal((await store.changes.read({ after: renewed, limit: 9 })).changes.length, 2);
  assert.deepEqual(await store.webhooks.findDelivery('w', delivery.id), { ...delivery, position: renewed });
});
