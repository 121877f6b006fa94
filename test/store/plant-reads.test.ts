/** The cost of reading plants from SQLite. Results are tested in behaviour-plants.ts. */
import assert from 'node:assert/strict';
import { constants, DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { migrate } from '../../src/store/sqlite/migrations.ts';
import { preparePlantReads } from '../../src/store/sqlite/tables/plant-reads.ts';

const tagCount = 100_000;

describe('list()', () => {
  it('compiles nothing again for another limit', () => {
    const db = new DatabaseSync(':memory:', { readBigInts: true });
    migrate(db);
    const { list } = preparePlantReads(db);
    const filters = [{}, { order: 'desc' }, { tag: 'fern' }] as const;
    const listAll = (limit: number): void => filters.forEach((filter) => list({ ...filter, limit }));
    let compiled = 0;
    // SQLite calls the authorizer for each table and column of a statement that it compiles.
    db.setAuthorizer(() => {
      compiled += 1;
      return constants.SQLITE_OK;
    });
    listAll(2);
    compiled = 0;
    listAll(3);
    assert.equal(compiled, 0);
    db.close();
  });
});

describe('listTags()', () => {
  it('costs the same on the last page as on the first', () => {
    const db = new DatabaseSync(':memory:', { readBigInts: true });
    migrate(db);
    db.exec(`INSERT INTO tag_counts
      WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${tagCount})
      SELECT printf('t%06d', i), 1 FROM n`);
    const { listTags } = preparePlantReads(db);
    // The best of many tries: other load on the machine only adds time.
    const bestMs = (after: string): number => {
      const tries = Array.from({ length: 20 }, () => {
        const start = performance.now();
        assert.equal(listTags({ prefix: 't', after, limit: 100 }).tags.length, 100);
        return performance.now() - start;
      });
      return Math.min(...tries);
    };
    const [first, last] = [bestMs('t000000'), bestMs('t099900')];
    db.close();
    // A scan from the start took 100 times as long for the last page.
    assert.ok(last < 10 * first, `${last} ms, the first ${first} ms`);
  });
});
