/** Connections that cannot be opened or prepared, or are too late, in a pool and at the end of a cluster. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../../../src/domain/errors.ts';
import { Cluster } from '../../../src/store/postgres/connect/cluster.ts';
import { ConnectionPool } from '../../../src/store/postgres/connect/connection-pool.ts';
import type { Connection } from '../../../src/store/postgres/connect/connection.ts';
import type { Parameters } from '../../../src/store/postgres/connect/session-settings.ts';
import { createDatabase, createMigratedDatabase, toLogin, untilAlone } from './open-temporary-database.ts';
import { findServer } from './servers.ts';

it('a connection that cannot be prepared is closed, and the database reported as unavailable', (t) =>
  assertReplaced(t, (connection) => connection.run('SELECT 1 / 0', [], 60_000)));

it('a connection that is prepared while another host becomes the primary is not used', (t) =>
  assertReplaced(t, (_connection, cluster) => cluster.move()));

it('a connection belongs to the call that opened it before another can find it', async (t) => {
  const cluster = await startCluster(t);
  const pool = new ConnectionPool(cluster, { connectionsMax: 20 });
  t.after(() => pool.close());
  const taken: Promise<Connection>[] = [];
  let turn = Promise.resolve();
  cluster.onConnected = () => {
    cluster.onConnected = undefined;
    // Take one connection in each turn, so that a call comes right after the first connection is ready.
    for (let turns = 0; turns < 10; turns += 1) turn = turn.then(() => void taken.push(pool.take()));
  };
  const first = await pool.take();
  await turn;
  const connections = [first, ...(await Promise.all(taken))];
  assert.equal(new Set(connections).size, connections.length);
});

it('a cluster that is closed while it connects to a host leaves no connection open', async (t) => {
  const database = await createDatabase(await findServer(18));
  t.after(() => database.remove());
  const { address, login } = toLogin(database.url);
  const [asked, held] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  let logins = 0;
  const readPassword = async (): Promise<string> => {
    if ((logins += 1) > 1) {
      asked.resolve(undefined);
      await held.promise;
    }
    return login.readPassword();
  };
  const nothing = (): undefined => undefined;
  const cluster = new Cluster(address.hosts, { ...login, readPassword }, async () => undefined, nothing);
  await cluster.start();
  const observer = await database.connect();
  t.after(() => observer.close());
  const others = 'FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
  await observer.run(`SELECT pg_terminate_backend(pid) ${others}`, [], 60_000);
  await asked.promise;
  const closed = cluster.close();
  held.resolve(undefined);
  await closed;
  await untilAlone(observer);
});

describe('a pool for which the server has no further connection', () => {
  const farOff = performance.now() + 600_000;
  const openFull = async (t: TestContext): Promise<{ pool: ConnectionPool; first: Connection }> => {
    const cluster = await startCluster(t);
    const pool = new ConnectionPool(cluster, { connectionsMax: 3 });
    t.after(() => pool.close());
    const first = await pool.take();
    cluster.isFull = true;
    return { pool, first };
  };

  it('gives each that waits a connection that comes back, in their order', async (t) => {
    const { pool, first } = await openFull(t);
    const waiting = [pool.take(farOff), pool.take(farOff)];
    await nextTurn();
    for (const next of waiting) {
      pool.giveBack(first);
      assert.equal(await next, first);
    }
    pool.giveBack(first);
    assert.equal(await pool.take(), first);
  });

  it('gives a connection that comes back while it tries to open one', async (t) => {
    const { pool, first } = await openFull(t);
    const taken = pool.take(farOff);
    pool.giveBack(first);
    assert.equal(await taken, first);
  });

  it('refuses those that wait when no connection is left that could come back', async (t) => {
    const { pool, first } = await openFull(t);
    const waiting = [pool.take(farOff), pool.take(farOff)];
    await nextTurn();
    first.destroy(new Error('made by a test'));
    pool.giveBack(first);
    for (const next of waiting) await assert.rejects(next, { code: 'store_unavailable' });
    await assert.rejects(pool.take(farOff), { code: 'store_unavailable' });
  });

  it('refuses at the deadline, and has one that comes back later for the next', async (t) => {
    const { pool, first } = await openFull(t);
    await assert.rejects(pool.take(performance.now() + 100), { code: 'store_unavailable' });
    await assert.rejects(pool.take(performance.now()), { code: 'store_unavailable' });
    pool.giveBack(first);
    assert.equal(await pool.take(), first);
  });
});

/** The first connection, which `spoil` makes useless while it is prepared, is closed and reported, and the next one used. */
async function assertReplaced(
  t: TestContext,
  spoil: (connection: Connection, cluster: TestCluster) => unknown,
): Promise<void> {
  const cluster = await startCluster(t);
  const opened: Connection[] = [];
  const pool = new ConnectionPool(cluster, {
    connectionsMax: 1,
    prepare: async (connection) => {
      opened.push(connection);
      if (opened.length === 1) await spoil(connection, cluster);
    },
  });
  t.after(() => pool.close());
  await assert.rejects(pool.take(), { code: 'store_unavailable' });
  assert.equal(opened[0]?.isUsable, false);
  pool.giveBack(await pool.take());
  assert.equal(opened.length, 2);
}

async function startCluster(t: TestContext): Promise<TestCluster> {
  const database = await createMigratedDatabase(await findServer(18));
  const { address, login } = toLogin(database.url);
  const cluster = new TestCluster(
    address.hosts,
    login,
    async () => undefined,
    () => undefined,
  );
  await cluster.start();
  t.after(async () => {
    await cluster.close();
    await database.remove();
  });
  return cluster;
}

class TestCluster extends Cluster {
  /** Whether the server has no connection left. */
  isFull = false;
  /** Called for each new connection before anybody has it. */
  onConnected: (() => void) | undefined;

  override async connect(parameters?: Partial<Parameters>): Promise<Connection> {
    if (this.isFull) throw new ServiceError('store_unavailable');
    const connection = await super.connect(parameters);
    this.onConnected?.();
    return connection;
  }

  /** Simulates another host that has become the primary. */
  move(): void {
    this.pools.dropAll();
  }
}
