/** Words which no plant has any more leave the list, also while instances write, and no word that a plant has leaves with them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Store } from '../../../src/domain/store.ts';
import { bucketOf, bucketsOf, type Engine } from '../../../src/store/postgres/buckets.ts';
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
    /** Sweeps until a word has left. */
    const sweepUntil = async (word: string): Promise<void> => {
      const isListed = (): Promise<boolean> =>
        withConnection(base(), async (connection) => {
          const { rows } = await connection.run('SELECT FROM search_words WHERE word = $1', [word], 5_000);
          return rows.length > 0;
        });
      for (let looks = 0; await isListed(); looks += 1) {
        assert.ok(looks < 100, `${word} stays`);
        await sweeper?.sweep();
      }
    };
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

    it('are listed again by an instance that had listed them before', async () => {
      const rows = Array.from({ length: 8 }, (_, at) => ({ id: BigInt(1_000 + at), name: `wanderer${at}` }));
      // Each connection that writes knows them.
      for (let round = 0; round < 8; round += 1) {
        await Promise.all(rows.map((plant) => plantsOf(0).create(plant)));
        await Promise.all(rows.map(({ id }) => plantsOf(0).delete(id, {})));
      }
      await sweepUntil('wanderer0');
      await sweepUntil('wanderer7');
      for (const plant of rows) {
        await plantsOf(0).create(plant);
        assert.deepEqual(await plantsOf(1).list({ search: plant.name.slice(1), limit: 9 }), [plant]);
      }
      assert.deepEqual(await withConnection(base(), findProblems), []);
    });

    it('stay while a writer that has found them is not done', async () => {
      await plantsOf(0).create({ id: 2_000n, name: 'hesitant' });
      await plantsOf(0).delete(2_000n, {});
      const bucket = bucketOf(2_000n, bucketsOf[engine]);
      await withConnection(base(), async (connection) => {
        const run = (sql: string): Promise<unknown> => connection.run(sql, [], 5_000);
        await run('BEGIN');
        await run(`INSERT INTO plants VALUES (2000, 'hesitant', NULL, array_to_tsvector('{hesitant,__4}'), ${bucket})`);
        await run(`INSERT INTO search_words VALUES ('hesitant', ${bucket}) ON CONFLICT DO NOTHING`);
        let refusals = 0;
        for (let looks = 0; looks < 100 && refusals === 0; looks += 1)
          await sweeper?.sweep().catch((error: unknown) => {
            assert.match(String((error as Error).cause), /lock timeout/);
            refusals += 1;
          });
        assert.equal(refusals, 1);
        await run('COMMIT');
      });
      assert.equal((await plantsOf(1).list({ search: 'esitant', limit: 9 })).length, 1);
    });
  });
}
