/** Counts of tags which no plant has any more: they are removed, also while instances write, and no count is lost with them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { divisionOf } from '../../../src/store/postgres/citus/divided.ts';
import type { Engine } from '../../../src/store/postgres/division.ts';
import { CountSweeper } from '../../../src/store/postgres/commit/count-sweeper.ts';
import { findProblems } from '../../../src/store/postgres/maintenance/check.ts';
import { openSweep, type Sweep } from './open-sweep.ts';
import { type TemporaryDatabase, withConnection } from './open-temporary-database.ts';

for (const engine of ['postgres', 'citus'] satisfies Engine[]) {
  describe(`counts of tags without plants (${engine})`, () => {
    let sweep: Sweep | undefined;
    let sweeper: CountSweeper | undefined;
    const opened = (): Sweep => sweep ?? assert.fail('the database exists');
    const base = (): TemporaryDatabase => opened().database;
    const plantsOf: Sweep['plantsOf'] = (index) => opened().plantsOf(index);
    const sweepAll = async (): Promise<void> => {
      // From wherever the last sweep has ended, once to the end and then through all rows.
      for (let rounds = 0; rounds < 2;) if ((await sweeper?.sweep()) !== false) rounds += 1;
    };
    const countRows = (): Promise<unknown> =>
      withConnection(base(), async (connection) => {
        const { rows } = await connection.run('SELECT count(*), count(DISTINCT tag) FROM tag_counts', [], 60_000);
        return rows[0];
      });
    before(async () => {
      sweep = await openSweep(engine);
      sweeper = new CountSweeper(sweep.transactions, () => divisionOf[engine]);
    });
    after(() => sweep?.close());

    it('are removed, in steps, and those of other tags stay', async () => {
      // More tags than one look reads.
      const rows = Array.from({ length: 1_500 }, (_, id) => ({ id: BigInt(id), name: 'fern', tag: `tag ${id}` }));
      await plantsOf(0).import(rows, { onConflict: 'fail', dryRun: false });
      await Promise.all(rows.slice(0, 1_450).map(({ id }) => plantsOf(1).delete(id, {})));
      assert.notDeepEqual(await countRows(), [50n, 50n]);
      await sweepAll();
      assert.deepEqual(await countRows(), [50n, 50n]);
      assert.equal((await plantsOf(0).listTags({ limit: 100 })).tags.length, 50);
      assert.deepEqual(await withConnection(base(), findProblems), []);
    });

    it('are exact while plants with few tags come and go', async () => {
      await sweepAll();
      const before = await countRows();
      const isDone = { value: false };
      const writers = Array.from({ length: 12 }, async (_, writer) => {
        for (let round = 0; round < 60; round += 1) {
          const id = BigInt(10_000 + writer);
          await plantsOf(writer + round).put({ id, name: 'fern', tag: `busy ${round % 3}` }, {});
          await plantsOf(writer).delete(id, {});
        }
      });
      const sweeping = (async () => {
        while (!isDone.value) await sweeper?.sweep();
      })();
      await Promise.all(writers);
      isDone.value = true;
      await sweeping;
      assert.deepEqual(await withConnection(base(), findProblems), []);
      await sweepAll();
      assert.deepEqual(await countRows(), before);
      assert.deepEqual(await withConnection(base(), findProblems), []);
    });
  });
}
