/** A store copied from a folder to a database, and back: the same plants and tokens. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { copyStore } from '../../../src/store/copy-store.ts';
import { checkStore } from '../../../src/store/maintenance.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { makeFolder } from '../../support/clean-up.ts';
import { startProxy } from './interfering-proxy.ts';
import { createMigratedDatabase, withConnection } from './open-temporary-database.ts';
import { majors } from './server.ts';
import { findServer } from './servers.ts';

const limits = { writesMax: 10_000, bytesMax: 64_000_000 };
const count = 100_000;

describe('copyStore() with PostgreSQL', () => {
  it(`copies ${count} plants there and back`, async (t) => {
    const folder = await makeFolder(t);
    const database = await createMigratedDatabase(await findServer(majors[0]));
    try {
      const [from, back] = [{ folder: join(folder, 'from') }, { folder: join(folder, 'back') }];
      const store = await openStore(from, { limits });
      for (let first = 0; first < count; first += 1_000)
        await store.plants.import(
          Array.from({ length: 1_000 }, (_, index) => ({
            id: BigInt(first + index) * 92_233_720_368_547n - 2n ** 62n,
            name: `plant ${first + index} 🌱`,
            ...(index % 3 === 0 ? {} : { tag: `t${index % 7}` }),
          })),
          { onConflict: 'fail', dryRun: false },
        );
      await store.tokens.insert({ id: 'abcdefghijkl', name: 'a', hash: 'b'.repeat(64), scopes: [], createdAt: 1 });
      await store.close();
      let behind = 0;
      const there = await copyStore(from, { url: database.url }, { onLogBehind: () => (behind += 1) });
      assert.equal(behind, 1);
      assert.deepEqual([there.plants, there.copied, there.tokens], [count, count, 1]);
      // A service that starts on it answers every question about changes at once.
      const logged = await withConnection(database, (connection) =>
        connection.run('SELECT last FROM change_log', [], 60_000),
      );
      assert.equal(logged.rows[0]?.[0], BigInt(count));
      const returned = await copyStore({ url: database.url }, back);
      assert.deepEqual(returned, there);
      assert.deepEqual((await checkStore(back)).problems, []);
      assert.deepEqual((await checkStore({ url: database.url })).problems, []);
    } finally {
      await database.remove();
    }
  });

  it('that is cut off says what is copied at least, and why; without the database it names the side', async (t) => {
    const folder = await makeFolder(t);
    const database = await createMigratedDatabase(await findServer(majors[0]));
    const proxy = await startProxy(t, database.url);
    try {
      const from = { folder: join(folder, 'from') };
      const store = await openStore(from, { limits });
      const rows = Array.from({ length: 10_000 }, (_, index) => ({ id: BigInt(index), name: 'fern' }));
      await store.plants.import(rows, { onConflict: 'fail', dryRun: false });
      await store.close();
      const to = { url: proxy.url };
      const cut = copyStore(from, to, { onProgress: () => proxy.goAway() });
      await assert.rejects(
        cut,
        /^Error: Stopped after at least [1-9][\d,]* plants: .+; run the same command to continue$/,
      );
      await assert.rejects(copyStore(from, to), /^Error: Cannot use the destination: connect ECONNREFUSED/);
      await proxy.comeBack();
      assert.equal((await copyStore(from, to)).plants, rows.length);
    } finally {
      await database.remove();
    }
  });
});
