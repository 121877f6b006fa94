/** Words which no plant has any more leave the list, also while instances write, and no word that a plant has leaves with them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Store } from '../../../src/domain/store.ts';
import { bucketsOf, type Engine } from '../../../src/store/postgres/buckets.ts';
import { Cluster } from '../../../src/store/postgres/cluster.ts';
import { ConnectionPool } from '../../../src/store/postgres/connection-pool.ts';
import { findProblems } from '../../../src/store/postgres/maintenance/check.ts';
import { Transactions } from '../../../src/store/postgres/transactions.ts';
import { WordSweeper } from '../../../src/store/postgres/word-sweeper.ts';
import {
  createMigratedDatabase,
  openOn,
  type TemporaryDatabase,
  toLogin,
  withConnection,
} from './open-temporary-database.ts';
import { findServer } from './servers.ts';

for (const engine of ['postgres', 'citus'] satisfies Engine[]) {
  describe(`listed words without plants (${engine})`, () => {
    let database: TemporaryDatabase | undefined;
    let stores: Store[] = [];
    let cluster: Cluster | undefined;
    let sweeper: WordSweeper | undefined;
    const base = (): TemporaryDatabase => database ?? assert.fail('the database exists');
    const plantsOf = (index: number): Store['plants'] =>
      (stores[index % 2] ?? assert.fail('the stores are open')).plants;
    const countWords = (): Promise<unknown> =>
      withConnection(base(), async (connection) => {
        const { rows } = await connection.run('SELECT count(DISTINCT word) FROM search_words', [], 5_000);
        return rows[0]?.[0];
      });
    before(async () => {
      database = await createMigratedDatabase(await findServer(18), engine);
      stores = await Promise.all([openOn(base()), openOn(base())]);
      const { address, login } = toLogin(base().url);
      cluster = new Cluster(
        address.hosts,
        login,
        async () => undefined,
        () => undefined,
      );
      await cluster.start();
      const pool = new ConnectionPool(cluster, { connectionsMax: 1 });
      sweeper = new WordSweeper(new Transactions(pool, cluster, () => undefined), { count: bucketsOf[engine] });
    });
    after(async () => {
      await Promise.all(stores.map((store) => store.close()));
      await cluster?.close();
      await database?.remove();
    });

    it('leave the list, in steps, and those of other plants stay', async () => {
      // More words than one look reads.
      const rows = Array.from({ length: 200 }, (_, id) => ({ id: BigInt(id), name: `fern${id}`, tag: 'common' }));
      await plantsOf(0).import(rows, { onConflict: 'fail', dryRun: false });
      await plantsOf(1).edit(
        rows.slice(20).map(({ id }) => ({ id, to: null })),
        'gone',
      );
      assert.equal(await countWords(), 201n);
      for (let looks = 0; (await countWords()) !== 21n; looks += 1) {
        assert.ok(looks < 100);
        await sweeper?.sweep();
      }
      assert.deepEqual(await withConnection(base(), findProblems), []);
    });

    it('are exact while plants with few words come and go', async () => {
      const isDone = { value: false };
      const writers = Array.from({ length: 12 }, async (_, writer) => {
        for (let round = 0; round < 60; round += 1) {
          const id = BigInt(10_000 + writer);
          await plantsOf(writer + round).put({ id, name: `busy${round % 3}` }, {});
          const found = await plantsOf(writer).list({ search: `usy${round % 3}`, limit: 20 });
          assert.ok(found.some((plant) => plant.id === id));
          await plantsOf(writer).delete(id, {});
        }
        await plantsOf(writer).put({ id: BigInt(10_000 + writer), name: `busy${writer % 3}` }, {});
      });
      const sweeping = (async () => {
        // A lock that takes too long is given up.
        while (!isDone.value) await sweeper?.sweep().catch(() => undefined);
      })();
      await Promise.all(writers);
      isDone.value = true;
      await sweeping;
      assert.deepEqual(await withConnection(base(), findProblems), []);
      assert.equal((await plantsOf(0).list({ search: 'usy', limit: 100 })).length, 12);
    });
  });
}
