/** A plan that was made while a table was empty: it does not read all of the table once that has rows, before the server has statistics. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createMigratedDatabase,
  openOn,
  type TemporaryDatabase,
  untilAlone,
  withConnection,
} from './open-temporary-database.ts';
import { majors } from './server.ts';
import { findServer } from './servers.ts';

const rowCount = 12_000;
const chunkRows = 500;

describe('the trim of a change log that was empty at first', () => {
  for (const major of majors)
    it(`reads two rows of the log for each change (PostgreSQL ${major})`, async () => {
      const database = await createMigratedDatabase(await findServer(major));
      try {
        await withConnection(database, (connection) =>
          connection.run('ALTER TABLE changes SET (autovacuum_enabled = off)', [], 60_000),
        );
        const store = await openOn(database, undefined, { recordsMax: 1_000_000, ageMsMax: 1e12 });
        for (let first = 0; first < rowCount; first += chunkRows) {
          const rows = Array.from({ length: chunkRows }, (_, index) => ({ id: BigInt(first + index), name: 'fern' }));
          await store.plants.import(rows, { onConflict: 'fail', dryRun: false });
        }
        await store.close();
        const read = await countRead(database);
        // The trim runs after 1,000 changes, and reads the oldest 2,000.
        assert.ok(read < 3 * rowCount, `${read} rows were read for ${rowCount} changes`);
      } finally {
        await database.remove();
      }
    });
});

it('a page of the history of a plant reads its own changes only', async () => {
  const database = await createMigratedDatabase(await findServer(18));
  try {
    await withConnection(database, async (connection) => {
      await connection.run('ALTER TABLE changes SET (autovacuum_enabled = off)', [], 60_000);
      await connection.run(
        `INSERT INTO changes (position, at, id, name) SELECT position, 0, position % 2, 'n'
         FROM generate_series(1, ${rowCount}) AS position`,
        [],
        60_000,
      );
      await connection.run(`UPDATE change_log SET last = ${rowCount}`, [], 60_000);
    });
    const before = await countRead(database);
    const store = await openOn(database);
    for (const [limit, expected] of [
      [500, 500],
      [1_000, 1_000],
    ] as const)
      assert.equal((await store.changes.history(1n, limit)).length, expected);
    await store.close();
    const read = (await countRead(database)) - before;
    assert.ok(read < 2 * 1_500, `${read} changes were read`);
  } finally {
    await database.remove();
  }
});

it('the newest changes of plants without one are not searched in a log that had few plants', async () => {
  const database = await createMigratedDatabase(await findServer(18));
  try {
    await withConnection(database, async (connection) => {
      await connection.run(
        `INSERT INTO changes (position, at, id, name) SELECT position, 0, position % 3, 'n'
         FROM generate_series(1, ${rowCount}) AS position`,
        [],
        60_000,
      );
      await connection.run('ANALYZE changes', [], 60_000);
    });
    const before = await countRead(database);
    const store = await openOn(database);
    const ids = Array.from({ length: 40 }, (_, id) => BigInt(id));
    assert.equal((await store.changes.newest(ids)).length, 3);
    await store.close();
    const read = (await countRead(database)) - before;
    assert.ok(read < 100, `${read} changes were read`);
  } finally {
    await database.remove();
  }
});

/** Rows of the log that were read so far. */
function countRead(database: TemporaryDatabase): Promise<number> {
  return withConnection(database, async (connection) => {
    await untilAlone(connection);
    const { rows } = await connection.run(
      `SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'changes'`,
      [],
      60_000,
    );
    return Number(rows[0]?.[0]);
  });
}
