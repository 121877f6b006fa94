/** Reads that the service has given up: the server must not go on with them, or they take all its connections. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { failureOf } from '../../../src/store/postgres/connect/error-code.ts';
import { detectLostClient } from '../../../src/store/postgres/connect/run-read.ts';
import { startProxy } from './interfering-proxy.ts';
import { createMigratedDatabase, openOn, type TemporaryDatabase } from './open-temporary-database.ts';
import { findServer } from './servers.ts';

it('a statement ends with its client, although it waits for a lock', { timeout: 120_000 }, async (t) => {
  const { database, untilWaiting } = await lockPlants(t);
  const connection = await database.connect();
  await detectLostClient(connection);
  const read = connection.run('SELECT count(*) FROM plants', [], 60_000).catch(() => undefined);
  await untilWaiting(1);
  connection.destroy(new Error('made by a test'));
  await read;
  await untilWaiting(0);
});

it('a server that cannot notice the end of a client is used all the same', async (t) => {
  const { database } = await lockPlants(t);
  const connection = await database.connect();
  t.after(() => connection.close());
  const run = connection.run.bind(connection);
  const refused = `DO $$ BEGIN RAISE 'must be set to 0 on this platform' USING ERRCODE = '22023'; END $$`;
  t.mock.method(connection, 'run', (_: string, ...rest: [readonly unknown[], number]) => run(refused, ...rest));
  await detectLostClient(connection);
  assert.equal(connection.isUsable, true);
});

it('reads of an instance that has vanished end, although they wait for a lock', { timeout: 120_000 }, async (t) => {
  const { database, untilWaiting } = await lockPlants(t);
  const proxy = await startProxy(t, database.url);
  const store = await openOn({ ...database, url: proxy.url });
  t.after(() => store.close());
  const reads = [store.plants.find(1n), store.plants.list({ limit: 1 })].map((read) => read.catch(() => undefined));
  await untilWaiting(2);
  proxy.hang();
  await Promise.all(reads);
  await untilWaiting(0);
});

it('reads that wait behind one that cannot be parsed in time are refused as it is', { timeout: 120_000 }, async (t) => {
  const { database, untilWaiting } = await lockPlants(t);
  const connection = await database.connect();
  t.after(() => connection.close());
  await connection.run(`SET statement_timeout = '3s'`, [], 5_000);
  const statement = { name: 'count', text: 'SELECT count(*) FROM plants' };
  const reads = [1, 2].map(() => connection.run(statement, [], 20_000).catch((error: unknown) => error));
  await untilWaiting(1);
  const progress = { isCommitSent: false, isRolledBack: true };
  for (const read of reads) assert.equal(failureOf(await read, progress), 'retry');
});

/** A database whose plants are locked until the test ends. */
async function lockPlants(
  t: TestContext,
): Promise<{ database: TemporaryDatabase; untilWaiting: (statements: number) => Promise<void> }> {
  const database = await createMigratedDatabase(await findServer(15));
  t.after(() => database.remove());
  const locker = await database.connect();
  t.after(() => locker.close());
  const run = async (sql: string): Promise<unknown> => (await locker.run(sql, [], 5_000)).rows[0]?.[0];
  await run('BEGIN');
  await run('LOCK TABLE plants IN ACCESS EXCLUSIVE MODE');
  const count = `SELECT count(*) FROM pg_locks JOIN pg_database AS d ON d.oid = database
    WHERE datname = current_database() AND NOT granted`;
  return {
    database,
    untilWaiting: async (statements) => {
      while ((await run(count)) !== BigInt(statements)) t.signal.throwIfAborted();
    },
  };
}
