/** A database that two stores write to, and transactions of their own for what sweeps it. */
import assert from 'node:assert/strict';
import type { Store } from '../../../src/domain/store.ts';
import type { Engine } from '../../../src/store/postgres/division.ts';
import { Cluster } from '../../../src/store/postgres/connect/cluster.ts';
import { ConnectionPool } from '../../../src/store/postgres/connect/connection-pool.ts';
import { Transactions } from '../../../src/store/postgres/connect/transactions.ts';
import { createMigratedDatabase, openOn, type TemporaryDatabase, toLogin } from './open-temporary-database.ts';
import { findServer } from './servers.ts';

export interface Sweep {
  readonly database: TemporaryDatabase;
  readonly transactions: Transactions;
  /** The plants of one of the stores, which take turns. */
  plantsOf(index: number): Store['plants'];
  close(): Promise<void>;
}

export async function openSweep(engine: Engine): Promise<Sweep> {
  const database = await createMigratedDatabase(await findServer(18), engine);
  const stores = await Promise.all([openOn(database), openOn(database)]);
  const { address, login } = toLogin(database.url);
  const cluster = new Cluster(
    address.hosts,
    login,
    async () => undefined,
    () => undefined,
  );
  await cluster.start();
  const pool = new ConnectionPool(cluster, { connectionsMax: 1 });
  return {
    database,
    transactions: new Transactions(pool, cluster, () => undefined),
    plantsOf: (index) => (stores[index % 2] ?? assert.fail('the stores are open')).plants,
    close: async () => {
      await Promise.all(stores.map((store) => store.close()));
      await cluster.close();
      await database.remove();
    },
  };
}
