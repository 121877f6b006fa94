/** The end of a cluster while one of its hosts is being connected to. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../../../src/store/postgres/cluster.ts';
import { createDatabase, toLogin } from './open-temporary-database.ts';
import { findServer } from './servers.ts';

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
  await observer.run(`SELECT pg_terminate_backend(pid) ${others}`, [], 5_000);
  await asked.promise;
  const closed = cluster.close();
  held.resolve(undefined);
  await closed;
  // The server notices the end of a connection a little later.
  await sleep(500);
  assert.deepEqual((await observer.run(`SELECT count(*)::int ${others}`, [], 5_000)).rows, [[0]]);
});
