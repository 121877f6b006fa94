/** Plants whose words an older version has made are found after a migration, and beside an instance that still writes such words. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bucketOf, bucketsOf, type Engine } from '../../../src/store/postgres/buckets.ts';
import type { Rows } from '../../../src/store/postgres/connection.ts';
import { findProblems } from '../../../src/store/postgres/maintenance/check.ts';
import { refreshAllWords, refreshWords } from '../../../src/store/postgres/refresh-words.ts';
import { createMigratedDatabase, openOn, type TemporaryDatabase, withConnection } from './open-temporary-database.ts';
import { findServer } from './servers.ts';

const plantCount = 1_700;

for (const engine of ['postgres', 'citus'] satisfies Engine[])
  describe(`the words of plants, engine ${engine}`, () => {
    let database: TemporaryDatabase | undefined;
    const base = (): TemporaryDatabase => database ?? assert.fail('the database exists');
    const run = async (sql: string): Promise<Rows['rows']> =>
      withConnection(base(), async (connection) => (await connection.run(sql, [], 20_000)).rows);
    const findWordProblems = async (): Promise<readonly string[]> =>
      (await withConnection(base(), findProblems)).filter((problem) => /search index|list of words/.test(problem));
    const search = async (text: string): Promise<readonly bigint[]> => {
      const store = await openOn(base());
      try {
        return (await store.plants.list({ search: text, limit: 1_000 })).map(({ id }) => id);
      } finally {
        await store.close();
      }
    };
    /** As the version before: without the words of tags, the rules, and the list of words. */
    const ageWords = (where: string): Promise<unknown> =>
      run(`UPDATE plants SET words = array_to_tsvector(ARRAY['monstera']) WHERE ${where}`);
    before(async () => {
      database = await createMigratedDatabase(await findServer(18), engine);
      const store = await openOn(base());
      const rows = Array.from({ length: plantCount }, (_, at) => ({
        id: BigInt(at),
        name: `Monstera 月下美人 w${at}`,
        tag: at % 2 === 0 ? 'Succulents' : 'other',
      }));
      for (let at = 0; at < plantCount; at += 500)
        await store.plants.import(rows.slice(at, at + 500), { onConflict: 'fail', dryRun: false });
      await store.close();
    });
    after(() => base().remove());

    it('are made again after a change of the rules, in steps that end and go on', async () => {
      await ageWords('true');
      await run('DELETE FROM search_words');
      assert.deepEqual(await search('ucculents'), []);
      const bucket = bucketOf(0n, bucketsOf[engine]);
      const hasMore = await withConnection(base(), (connection) => refreshWords(connection, bucket));
      assert.equal(hasMore, engine === 'postgres');
      const [[left] = []] = await run(`SELECT count(*) FROM plants WHERE NOT words @@ '''__4'''`);
      assert.ok(Number(left) > 0 && Number(left) < plantCount, `${String(left)} are left`);
      await withConnection(base(), refreshAllWords);
      assert.deepEqual(await findWordProblems(), []);
      assert.equal((await search('ucculents')).length, plantCount / 2);
      assert.equal((await search('下美')).length, 1_000);
    });

    it('are made again of a plant that an older instance writes, beside writers of the same plants', async () => {
      await ageWords('id % 3 = 0');
      const store = await openOn(base());
      const rename = (_: unknown, at: number): Promise<unknown> =>
        store.plants.put({ id: BigInt(at), name: `Renamed${at} newly` }, {});
      try {
        const refreshes = [1, 2].map(() => withConnection(base(), refreshAllWords));
        await Promise.all([...refreshes, ...Array.from({ length: 300 }, rename)]);
      } finally {
        await store.close();
      }
      assert.deepEqual(await findWordProblems(), []);
      assert.deepEqual(await search('enamed299'), [299n]);
    });

    it('of an older instance are made again while the store serves', async () => {
      await ageWords('id = 7');
      const store = await openOn(base(), undefined, { recordsMax: 1_000_000, ageMsMax: 1_000_000_000 });
      try {
        // Its changes are trimmed after so many writes.
        const writes = Array.from({ length: 1_000 }, (_, at) => ({ id: BigInt(10_000 + at), name: 'later' }));
        for (let round = 0; (await run(`SELECT id FROM plants WHERE NOT words @@ '''__4'''`)).length > 0; round += 1) {
          assert.ok(round < 200, 'the plant is not found');
          const name = `later ${round}`;
          await store.plants.import(
            writes.map((plant) => ({ ...plant, name })),
            { onConflict: 'replace', dryRun: false },
          );
        }
      } finally {
        await store.close();
      }
      assert.deepEqual(await findWordProblems(), []);
    });
  });
