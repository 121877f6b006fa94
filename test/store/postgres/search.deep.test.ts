/** Searches in a table large enough for the plan to matter: a page never reads all of it for a few plants. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { StoredPlant } from '../../../src/domain/schemas.ts';
import type { PlantQuery } from '../../../src/domain/store.ts';
import type { Engine } from '../../../src/store/postgres/division.ts';
import { lookedAtMax } from '../../../src/store/search-terms.ts';
import {
  createMigratedDatabase,
  openOn,
  type TemporaryDatabase,
  untilAlone,
  withConnection,
} from './open-temporary-database.ts';
import { findServer } from './servers.ts';

const plantCount = 30_000;

describe('a search among many plants', () => {
  let database: TemporaryDatabase | undefined;
  const base = (): TemporaryDatabase => database ?? assert.fail('the database exists');
  const fill = async (engine: Engine): Promise<void> => {
    database = await createMigratedDatabase(await findServer(18), engine);
    await withConnection(base(), async (connection) => {
      await connection.run(
        `INSERT INTO plants SELECT id, 'Monstera w' || id || ' mod' || id % 40 || repeat(' ', 900), 't' || id % 20, ' monstera w' || id || ' mod' || id % 40 || '| t' || id % 20
         FROM generate_series(1, ${plantCount}) AS id`,
        [],
        60_000,
      );
      await connection.run('ANALYZE plants', [], 60_000);
    });
  };
  before(() => fill('postgres'));
  after(() => base().remove());

  /** Rows that sequential scans and scans of an index have read so far. */
  const rowsRead = (index: 'plants_pkey' | 'plants_by_tag' | 'plants_by_word'): Promise<number> =>
    withConnection(base(), async (connection) => {
      await untilAlone(connection);
      const { rows } = await connection.run(
        `SELECT seq_tup_read + (SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = '${index}')
         FROM pg_stat_user_tables WHERE relname = 'plants'`,
        [],
        60_000,
      );
      return Number(rows[0]?.[0]);
    });
  /** Lists on a store of its own: a session reports what it has read when it ends. */
  const list = async (page: PlantQuery): Promise<readonly StoredPlant[]> => {
    const store = await openOn(base());
    try {
      return (await store.plants.list(page)).plants;
    } finally {
      await store.close();
    }
  };

  it('finds a rare word, a frequent one, and the end of the matches, without reading the whole table', async () => {
    const cases = [
      [{ name: 'w29999' }, [29_999n]],
      [{ name: 'w29999', tag: 't19' }, [29_999n]],
      [{ name: 'absent' }, []],
      [{ name: 'mon', after: 10n, limit: 2 }, [11n, 12n]],
      [{ name: 'mon', after: 29_998n }, [29_999n, 30_000n]],
      [{ name: 'w3', after: 29_990n }, [30_000n]],
      [{ name: 'w29999', order: 'desc' }, [29_999n]],
      [{ name: 'w1', order: 'desc', after: 10n }, [1n]],
      [{ name: 'mon', order: 'desc', below: 29_000n, limit: 2 }, [28_999n, 28_998n]],
      [{ name: 'w2', after: 20_000n, below: 20_003n }, [20_001n, 20_002n]],
    ] as const;
    for (const [page, ids] of cases) {
      const before = await rowsRead('plants_pkey');
      const found = await list({ limit: 10, ...page });
      const text = JSON.stringify(page, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
      assert.deepEqual(
        found.map(({ id }) => id),
        ids,
        text,
      );
      const read = (await rowsRead('plants_pkey')) - before;
      assert.ok(read < plantCount, `${text}: ${read} rows were read`);
    }
  });

  it('reads of a tag with 1,500 plants only those of the page', async () => {
    const before = await rowsRead('plants_by_tag');
    assert.equal((await list({ tag: 't7', limit: 100 })).length, 100);
    const read = (await rowsRead('plants_by_tag')) - before;
    assert.ok(read <= 110, `${read} rows were read`);
  });

  it('fills a page with a word of one plant in 40 without the index of words', async () => {
    const before = await rowsRead('plants_by_word');
    assert.equal((await list({ name: 'mod17', limit: 100 })).length, 100);
    assert.equal(await rowsRead('plants_by_word'), before);
  });

  it('ends a list without the index of words, however many plants have the word', async () => {
    const before = await rowsRead('plants_by_word');
    for (const page of [
      { name: 'mon', after: 29_998n },
      { name: 'mon', tag: 't19', after: 29_970n },
    ])
      assert.deepEqual(
        (await list({ limit: 100, ...page })).map(({ id }) => id),
        page.tag === undefined ? [29_999n, 30_000n] : [29_979n, 29_999n],
      );
    assert.equal(await rowsRead('plants_by_word'), before);
  });

  it('looks at a bounded number of plants where no index knows which match, and says where to go on', async () => {
    const other = await createMigratedDatabase(await findServer(18), 'postgres');
    await withConnection(other, async (connection) => {
      // The last plants alone have a fern, more of them than the index of words gives.
      await connection.run(
        `INSERT INTO plants SELECT id, name, NULL, ' ' || name || '|'
         FROM generate_series(1, ${2 * lookedAtMax}) AS id,
         LATERAL (SELECT (CASE WHEN id > ${lookedAtMax} THEN 'xfern' ELSE 'xmoss' END) || id % 1200) AS made (name)`,
        [],
        60_000,
      );
      await connection.run('ANALYZE plants', [], 60_000);
    });
    const store = await openOn(other);
    try {
      const page = { search: 'fern', limit: 2 };
      const { plants, next } = await store.plants.list(page);
      assert.deepEqual([plants, next], [[], { ...page, after: BigInt(lookedAtMax) }]);
      const found = [1n, 2n].map((at) => BigInt(lookedAtMax) + at);
      assert.deepEqual(
        (await store.plants.list(next ?? page)).plants.map(({ id }) => id),
        found,
      );
      assert.deepEqual(await store.plants.list({ search: 'fern moss', limit: 2 }), { plants: [], next: undefined });
    } finally {
      await store.close();
      await other.remove();
    }
  });

  it('looks at fewer plants before the index of words in a divided database, where each bucket sends as many', async () => {
    await base().remove();
    await fill('citus');
    const before = await rowsRead('plants_pkey');
    const found = await list({ name: 'mod17', after: 56n, limit: 100 });
    assert.deepEqual(
      found.map(({ id }) => id),
      Array.from({ length: 100 }, (_, index) => BigInt(57 + 40 * index)),
    );
    const read = (await rowsRead('plants_pkey')) - before;
    assert.ok(read <= 510, `${read} rows were read`);
  });
});
