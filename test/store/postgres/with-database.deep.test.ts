/** One connection for a command: it is closed whatever happens, or the process would not end. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Connection } from '../../../src/store/postgres/connection.ts';
import { openStoreAt, withDatabase } from '../../../src/store/postgres/with-database.ts';
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

  it('gives up on a database that does not answer any more', { timeout: 120_000 }, async (t) => {
    const database = await createDatabase(await findServer(18));
    t.after(() => database.remove());
    const proxy = await startProxy(database.url);
    t.after(() => proxy.close());
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
    const proxy = await startProxy(database.url);
    t.after(() => proxy.close());
    const limits = { writesMax: 10, bytesMax: 10_000 };
    const store = await openStoreAt({ url: proxy.url }, { limits, onEvent: () => undefined });
    assert.deepEqual(await store.plants.list({ limit: 1 }), []);
    proxy.hang();
    await store.close();
  });
});
