/** An instance whose machine vanishes or freezes: nothing tells the server that its connections are dead. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startProxy } from './interfering-proxy.ts';
import { createMigratedDatabase, openOn } from './open-temporary-database.ts';
import { findServer } from './servers.ts';

it('other instances go on when one vanishes within its transactions', { timeout: 120_000 }, async (t) => {
  const database = await createMigratedDatabase(await findServer(15));
  t.after(() => database.remove());
  const proxy = await startProxy(t, database.url);
  // The transaction then has all its locks, and waits for its COMMIT.
  const untilSwallowed = async (): Promise<void> => {
    while (!proxy.hasInterfered()) {
      t.signal.throwIfAborted();
      await nextTurn();
    }
  };
  const [lost, other] = await Promise.all([openOn({ ...database, url: proxy.url }), openOn(database)]);
  t.after(() => Promise.all([lost.close(), other.close()]));
  await lost.plants.create({ id: 1n, name: 'fern' });

  proxy.interfere('COMMIT', 'swallow');
  lost.changes.latest().catch(() => undefined);
  await untilSwallowed();
  proxy.interfere('COMMIT', 'swallow');
  lost.plants.put({ id: 1n, name: 'moss' }, {}).catch(() => undefined);
  await untilSwallowed();
  proxy.hang();

  const untilDone = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      t.signal.throwIfAborted();
      try {
        return await call();
      } catch (error) {
        assert.equal((error as { code?: unknown }).code, 'store_busy');
      }
    }
  };
  await untilDone(() => other.plants.put({ id: 1n, name: 'ivy' }, {}));
  await untilDone(() => other.changes.latest());
  const kinds = (await other.changes.history(1n, 10)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['replaced', 'created']);
});
