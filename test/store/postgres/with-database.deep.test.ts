/** The connection of a command: it is closed whatever happens, or the process would not end. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import type { Connection } from '../../../src/store/postgres/connect/connection.ts';
import { openStoreAt, withDatabase } from '../../../src/store/postgres/with-database.ts';
import { forward } from '../../support/forward.ts';
import { listen } from '../../support/listen.ts';
import { startProxy } from './interfering-proxy.ts';
import { createDatabase, createMigratedDatabase } from './open-temporary-database.ts';
import { findServer } from './servers.ts';

describe('withDatabase()', () => {
  it('closes its connection when the work fails', async (t) => {
    const database = await createDatabase(await findServer(18));
    t.after(() => database.remove());
    const used: Connection[] = [];
    const work = (connection: Connection): Promise<never> => {
      used.push(connection);
      return Promise.reject(new Error('the work failed'));
    };
    await assert.rejects(
      withDatabase({ url: database.url }, 'check', work),
      /^Error: Cannot check .*: the work failed$/,
    );
    assert.deepEqual(
      used.map(({ isUsable }) => isUsable),
      [false],
    );
  });

  it('waits for a database that is slow to accept a connection', { timeout: 120_000 }, async (t) => {
    const database = await createDatabase(await findServer(18));
    t.after(() => database.remove());
    // Hands on what it receives once a service would have given up.
    const { port } = await forward(
      t,
      () => [Number(new URL(database.url).port)],
      (client, upstream) => setTimeout(() => client.pipe(upstream).pipe(client), 1_500),
    );
    const url = database.url.replace(/:\d+\//, `:${port}/`);
    const [row] = await withDatabase({ url }, 'check', async (each) => (await each.run('SELECT 1', [], 60_000)).rows);
    assert.deepEqual(row, [1]);
  });

  it('says that a database accepts no connection', { timeout: 120_000 }, async (t) => {
    const port = await listen(t, createServer());
    await assert.rejects(
      withDatabase({ url: `postgres://a:b@127.0.0.1:${port}/c` }, 'check', () => Promise.resolve()),
      /^Error: Cannot check .*: no connection to the database in 5000 ms$/,
    );
  });

  it('gives up on a database that does not answer any more', { timeout: 120_000 }, async (t) => {
    const database = await createDatabase(await findServer(18));
    t.after(() => database.remove());
    const proxy = await startProxy(t, database.url);
    const work = (connection: Connection): Promise<unknown> => {
      proxy.hang();
      return connection.run('SELECT 1', [], 600_000);
    };
    await assert.rejects(
      withDatabase({ url: proxy.url }, 'check', work),
      /^Error: Cannot check .*: the database does not answer any more$/,
    );
  });
});

describe('openStoreAt()', () => {
  it('opens a store that can be closed while the database does not answer', { timeout: 120_000 }, async (t) => {
    const database = await createMigratedDatabase(await findServer(18));
    t.after(() => database.remove());
    const proxy = await startProxy(t, database.url);
    const limits = { writesMax: 10, bytesMax: 10_000 };
    const store = await openStoreAt({ url: proxy.url }, { limits, onEvent: () => undefined });
    assert.deepEqual((await store.plants.list({ limit: 1 })).plants, []);
    proxy.hang();
    await store.close();
  });
});
