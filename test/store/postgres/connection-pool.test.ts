/** The pool of connections when a new one cannot be prepared, or is too late. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { Cluster } from '../../../src/store/postgres/cluster.ts';
import { ConnectionPool } from '../../../src/store/postgres/connection-pool.ts';
import type { Connection } from '../../../src/store/postgres/connection.ts';
import { createMigratedDatabase, toLogin } from './open-temporary-database.ts';
import { findServer } from './servers.ts';

it('a connection that cannot be prepared is closed, and the database reported as unavailable', (t) =>
  assertReplaced(t, (connection) => connection.run('SELECT 1 / 0', [], 5_000)));

it('a connection that is prepared while another host becomes the primary is not used', (t) =>
  assertReplaced(t, (_connection, cluster) => cluster.move()));

/** The first connection, which `spoil` makes useless while it is prepared, is closed and reported, and the next one used. */
async function assertReplaced(
  t: TestContext,
  spoil: (connection: Connection, cluster: MovingCluster) => unknown,
): Promise<void> {
  const database = await createMigratedDatabase(await findServer(18));
  const { address, login } = toLogin(database.url);
  const cluster = new MovingCluster(
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

class MovingCluster extends Cluster {
  readonly #own: (() => void)[] = [];

  override onMoved(listener: () => void): void {
    this.#own.push(listener);
  }

  /** As when another host has become the primary. */
  move(): void {
    for (const listener of this.#own) listener();
  }
}
