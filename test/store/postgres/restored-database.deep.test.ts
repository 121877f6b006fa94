/** A database out of a backup, which tools of PostgreSQL made and restored: `migrate --restored` does what is left to do. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runCli } from '../../cli/run-cli.ts';
import { toDelivery, withId } from '../behaviour-webhooks.ts';
import { createDatabase, createMigratedDatabase, openOn } from './open-temporary-database.ts';
import { findServer } from './servers.ts';

it('migrate --restored ends the positions of the change log, and keeps the places of webhooks', async (t) => {
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

  const store = await openOn(restored);
  t.after(() => store.close());
  const renew = (): ReturnType<typeof runCli> => runCli(['migrate', '--restored'], { DATABASE_URL: restored.url });
  await store.webhooks.lease('a service that runs', 20_000);
  const refused = await renew();
  assert.match(refused.stderr, /^plant-store: Cannot migrate .*: a service runs on it; stop that first/);
  assert.equal(refused.code, 1);
  assert.equal(await store.changes.latest(), place);
  await store.webhooks.release('a service that runs');
  const { stdout, code } = await renew();
  assert.match(stdout, /^The schema was up to date \(\d+\)\nThe positions of the change log are new: .* \(1\)\n$/);
  assert.equal(code, 0);
  for (const id of [3n, 4n]) await store.plants.create({ id, name: 'new' });
  await assert.rejects(store.changes.read({ after: position, limit: 9 }), { code: 'position_unknown' });
  assert.match(await store.changes.latest(), /^[0-9a-f]{8}-3$/);
  const { position: renewed = '' } = (await store.webhooks.find('w'))?.progress ?? {};
  assert.equal((await store.changes.read({ after: renewed, limit: 9 })).changes.length, 2);
  assert.deepEqual(await store.webhooks.findDelivery('w', delivery.id), { ...delivery, position: renewed });
});

it('migrate --restored makes no tables', async (t) => {
  const empty = await createDatabase(await findServer(18));
  t.after(() => empty.remove());
  const env = { DATABASE_URL: empty.url };
  assert.match(
    (await runCli(['migrate', '--restored'], env)).stderr,
    /: it has no tables yet; restore the backup first\n$/,
  );
  assert.match((await runCli(['migrate', '--dry-run'], env)).stdout, /CREATE TABLE plants /);
});
