/** Words which no plant has any more leave the list, also while instances write, and no word that a plant has leaves with them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bucketOf, bucketsOf, type Engine } from '../../../src/store/postgres/buckets.ts';
import { findProblems } from '../../../src/store/postgres/maintenance/check.ts';
import { rulesWord } from '../../../src/store/postgres/tables/plant-writes.ts';
import { WordSweeper } from '../../../src/store/postgres/word-sweeper.ts';
import { openSweep, type Sweep } from './open-sweep.ts';
import { type TemporaryDatabase, withConnection } from './open-temporary-database.ts';

for (const engine of ['postgres', 'citus'] satisfies Engine[]) {
  describe(`listed words without plants (${engine})`, () => {
    let sweep: Sweep | undefined;
    let sweeper: WordSweeper | undefined;
    const opened = (): Sweep => sweep ?? assert.fail('the database exists');
    const base = (): TemporaryDatabase => opened().database;
    const plantsOf: Sweep['plantsOf'] = (index) => opened().plantsOf(index);
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
      sweep = await openSweep(engine);
      // It would refuse the sweep its lock now and then.
      await withConnection(base(), (connection) =>
        connection.run('ALTER TABLE search_words SET (autovacuum_enabled = off)', [], 5_000),
      );
      sweeper = new WordSweeper(sweep.transactions, { count: bucketsOf[engine] });
    });
    after(() => sweep?.close());

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
        await run(
          `INSERT INTO plants VALUES (2000, 'hesitant', NULL, array_to_tsvector('{hesitant,${rulesWord}}'), ${bucket})`,
        );
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
