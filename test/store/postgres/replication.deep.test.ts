/**
 * A primary whose synchronous standby is away: nothing may be acknowledged, not even what only repeats or reads what is visible already,
 * for after a failover it would be gone.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Store } from '../../../src/domain/store.ts';
import {
  connectTo,
  createMigratedDatabase,
  openOn,
  runAsAdmin,
  type TemporaryDatabase,
  withConnection,
} from './open-temporary-database.ts';
import { startOwnServer } from './servers.ts';
import { codeOf } from '../write-together.ts';
import { until } from '../../support/until.ts';

const token = { name: 'first', scopes: ['webhooks:manage'] as const, createdAt: 1 };

/**
 * Each rests on a plant that is stored but not replicated, or on one that is not there. Those that write have new words of their own:
 * a create waits for another one that lists the same new word.
 */
const answers: readonly (readonly [name: string, ask: (store: Store) => Promise<unknown>])[] = [
  ['a create that is replayed', ({ plants }) => plants.create({ id: 1n, name: 'fern' })],
  ['a create that conflicts', ({ plants }) => plants.create({ id: 2n, name: 'moss' })],
  ['a create that stores', ({ plants }) => plants.create({ id: 100n, name: 'reed' })],
  ['a put that changes nothing', ({ plants }) => plants.put({ id: 3n, name: 'fern' }, {})],
  ['a put whose condition fails', ({ plants }) => plants.put({ id: 4n, name: 'moss' }, { ifMatch: ['other'] })],
  ['a patch that changes nothing', ({ plants }) => plants.patch(5n, {}, {})],
  ['a delete that finds nothing', ({ plants }) => plants.delete(101n, {})],
  [
    'an import of what is stored',
    ({ plants }) => plants.import([{ id: 6n, name: 'fern' }], { onConflict: 'fail', dryRun: false }),
  ],
  ['a first token that is not the first', ({ tokens }) => tokens.insertFirst({ ...token, id: 'b', hash: 'b' })],
  ['a revocation of a revoked token', ({ tokens }) => tokens.revoke('a', 2)],
];

describe('while no synchronous standby answers', () => {
  let server = '';
  let database: TemporaryDatabase | undefined;
  let stores: Store[] = [];
  const setStandbys = async (names: string): Promise<void> => {
    await runAsAdmin(server, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await runAsAdmin(server, 'SELECT pg_reload_conf()');
    // The server takes the setting a moment later. Until then, commits are as before.
    while ((await isCommitWaiting()) !== (names !== ''));
  };
  /** Whether a commit waits for a standby. */
  const isCommitWaiting = (): Promise<boolean> =>
    withConnection({ connect: () => connectTo(`${server}/postgres`) }, async (connection) => {
      const committing = await connectTo(`${server}/postgres`);
      const { rows } = await committing.run('SELECT pg_backend_pid()', [], 60_000);
      const commit = { isOver: false };
      const committed = committing
        .confirm(60_000)
        .catch(() => undefined)
        .finally(() => (commit.isOver = true));
      const waits = `SELECT FROM pg_stat_activity WHERE pid = ${String(rows[0]?.[0])} AND wait_event = 'SyncRep'`;
      let isWaiting = false;
      while (!commit.isOver && !isWaiting) isWaiting = (await connection.run(waits, [], 60_000)).rows.length > 0;
      committing.destroy(new Error('the test has seen enough'));
      await committed;
      return isWaiting;
    });
  const goOn = async (): Promise<void> => {
    await setStandbys('');
    for (const store of stores) await until(() => !store.isBusy(), 'it is noticed');
  };
  const readOne = (sql: string): Promise<unknown> =>
    withConnection(database ?? assert.fail('the database exists'), async (connection) => {
      const { rows } = await connection.run(sql, [], 60_000);
      return rows[0]?.[0];
    });
  const storeAt = (index: number): Store => stores[index] ?? assert.fail('the store is open');
  /** Does something to all backends that wait for the standby, until the write is settled. */
  const toWaiting = async (action: string, write: Promise<unknown>): Promise<void> => {
    const end = { isOver: false };
    const settled = write.catch(() => undefined).then(() => (end.isOver = true));
    while (!end.isOver)
      await runAsAdmin(server, `SELECT ${action}(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);
    await settled;
  };

  before(async () => {
    server = await startOwnServer(18);
    const created = await createMigratedDatabase(server);
    database = created;
    stores = await Promise.all(answers.map(() => openOn(created)));
    for (let id = 1n; id <= 6n; id += 1n) await storeAt(0).plants.create({ id, name: 'fern' });
    await storeAt(0).tokens.insert({ ...token, id: 'a', hash: 'a', revokedAt: 1 });
    // Each store has its connection for writing before the standby is gone.
    await Promise.all(stores.map(({ plants }) => plants.patch(1n, {}, {})));
  });
  beforeEach(() => setStandbys('ANY 1 (absent)'));
  after(async () => {
    await setStandbys('');
    await Promise.all(stores.map((store) => store.close()));
    await database?.remove();
  });

  it('no answer is given', { timeout: 120_000 }, async () => {
    const outcomes = await Promise.allSettled(answers.map(([, ask], index) => ask(storeAt(index))));
    for (const [index, [name]] of answers.entries()) {
      const outcome = outcomes[index];
      const code = outcome?.status === 'rejected' ? codeOf(outcome.reason) : outcome?.value;
      // What only reads was surely not written.
      assert.ok(code === 'store_failed' || code === 'store_unavailable', `${name}: ${String(code)}`);
    }
  });

  it('says so, refuses writes before it reads them, and goes on as soon as it answers again', async () => {
    await Promise.allSettled(stores.map(({ plants }) => plants.create({ id: 203n, name: 'refused' })));
    for (const store of stores) {
      await assert.rejects(store.ping(), { code: 'store_unavailable' });
      assert.equal(store.isBusy(), true);
    }
    await goOn();
    for (const store of stores) {
      await store.ping();
      await store.plants.create({ id: 300n, name: 'later' });
    }
  });

  it('a wait that is cancelled is no success, although the server says so', { timeout: 120_000 }, async () => {
    const created = storeAt(0).plants.create({ id: 200n, name: 'cancelled' });
    const cancelling = toWaiting('pg_cancel_backend', created);
    await assert.rejects(created, (error: Error) => {
      assert.match(String(error.cause), /the server warned: 01000/);
      return codeOf(error) === 'store_failed';
    });
    await cancelling;
    await goOn();
    assert.equal(await storeAt(0).plants.create({ id: 200n, name: 'cancelled' }), 'replayed');
  });

  it('a wait that is terminated is no success', { timeout: 120_000 }, async () => {
    const created = storeAt(1).plants.create({ id: 201n, name: 'terminated' });
    const terminating = toWaiting('pg_terminate_backend', created);
    await assert.rejects(created, { code: 'store_failed' });
    await terminating;
  });

  it('what waits is not read, although it is visible after a crash', { timeout: 120_000 }, async () => {
    const created = storeAt(2).plants.create({ id: 202n, name: 'moss' });
    const refused = assert.rejects(created, { code: 'store_failed' });
    const find = (sql: string): Promise<unknown> =>
      until(() => readOne(sql).catch(() => undefined), `${sql} finds one`);
    process.kill(
      Number(await find(`SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' LIMIT 1`)),
      'SIGKILL',
    );
    await refused;
    await find('SELECT name FROM plants WHERE id = 202');
    for (const { plants, changes } of stores) {
      await assert.rejects(plants.find(202n), { code: 'store_unavailable' });
      await assert.rejects(changes.latest(), { code: 'store_unavailable' });
    }
    await goOn();
    assert.equal((await storeAt(0).plants.find(202n))?.name, 'moss');
  });
});
