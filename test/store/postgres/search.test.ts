/** Searches in a table large enough for the plan to matter: a page never reads all of it for a few plants. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../../src/domain/store.ts';
import { createMigratedDatabase, openOn, type TemporaryDatabase, withConnection } from './open-temporary-database.ts';
import { findServer } from './servers.ts';

const plantCount = 30_000;

describe('a search among many plants', () => {
  let database: TemporaryDatabase | undefined;
  let store: Store | undefined;
  const base = (): TemporaryDatabase => database ?? assert.fail('the database exists');
  before(async () => {
    database = await createMigratedDatabase(await findServer(18));
    await withConnection(base(), async (connection) => {
      await connection.run(
        `INSERT INTO plants SELECT id, 'Monstera w' || id, 't' || id % 5, array_to_tsvector(ARRAY['monstera', 'w' || id])
         FROM generate_series(1, ${plantCount}) AS id`,
        [],
        60_000,
      );
      await connection.run('ANALYZE plants', [], 60_000);
    });
    store = await openOn(base());
  });
  after(async () => {
    await store?.close();
    await database?.remove();
  });

  /** Rows that sequential scans and scans of the primary key have read so far. */
  const rowsRead = (): Promise<number> =>
    withConnection(base(), async (connection) => {
      const { rows } = await connection.run(
        `SELECT seq_tup_read + (SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'plants_pkey')
         FROM pg_stat_user_tables WHERE relname = 'plants'`,
        [],
        10_000,
      );
      return Number(rows[0]?.[0]);
    });

  it('finds a rare word, a frequent one, and the end of the matches, without reading the whole table', async () => {
    const cases = [
      [{ name: 'w29999' }, [29_999n]],
      [{ name: 'w29999', tag: 't4' }, [29_999n]],
      [{ name: 'absent' }, []],
      [{ name: 'mon', after: 10n, limit: 2 }, [11n, 12n]],
      [{ name: 'mon', after: 29_998n }, [29_999n, 30_000n]],
      [{ name: 'w3', after: 29_990n }, [30_000n]],
    ] as const;
    const before = await rowsRead();
    for (const [page, ids] of cases) {
      const found = await (store ?? assert.fail('the store is open')).plants.list({ limit: 10, ...page });
      assert.deepEqual(
        found.map(({ id }) => id),
        ids,
        JSON.stringify(page, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
      );
    }
    // A session reports what it has read when it ends.
    await store?.close();
    await sleep(500);
    const read = (await rowsRead()) - before;
    assert.ok(read < plantCount / 2, `${read} rows were read`);
  });
});
