/** How the search index is merged: a little in each commit, so that none takes long, and enough. */
import assert from 'node:assert/strict';
import type { DatabaseSync } from 'node:sqlite';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { prepareCommit } from '../../src/store/sqlite/commit.ts';
import { openForWriting, readValue } from '../../src/store/sqlite/connection.ts';
import { migrate, requireOurs } from '../../src/store/sqlite/migrations.ts';
import { makeFolder } from '../support/clean-up.ts';

const root = await makeFolder({ after });
let db: DatabaseSync;
let commit: ReturnType<typeof prepareCommit>;
let count = 0n;

beforeEach(async () => {
  db = openForWriting(join(await mkdtemp(join(root, 'a')), 'plants.db'), requireOurs);
  migrate(db);
  db.exec('PRAGMA synchronous = OFF');
  commit = prepareCommit(db);
  count = 0n;
});
afterEach(() => db.close());

/** Creates plants, each with a word of its own; returns the rows that the commit has changed in all tables. */
function create(plants: number): number {
  const before = readValue(db, 'SELECT total_changes()') as bigint;
  commit(
    Array.from({ length: plants }, () => {
      count += 1n;
      // Ids over the whole range: their differences are long.
      const id = BigInt.asIntN(64, count * 0x9e3779b97f4a7c15n);
      return {
        kind: 'create',
        plant: { id, name: `Fern number${count * 7_919n}`, tag: `shelf ${count % 9n}` },
      };
    }),
  );
  return Number((readValue(db, 'SELECT total_changes()') as bigint) - before);
}

function countSegments(): number {
  return Number(readValue(db, 'SELECT count(DISTINCT segid) FROM plant_words_idx'));
}

describe('the search index', () => {
  it('is never merged as a whole in one commit, also after larger ones', () => {
    for (let commit = 0; commit < 28; commit += 1) create(1_500);
    const pages = Number(readValue(db, 'SELECT count(*) FROM plant_words_data'));
    let most = 0;
    for (let commit = 0; commit < 400; commit += 1) most = Math.max(most, create(5));
    assert.ok(pages > 2_000, `the index has ${pages} pages`);
    assert.ok(most < pages / 2, `a commit of 5 plants has changed ${most} rows`);
  });

  for (const plants of [1, 40]) {
    it(`has few segments after many commits of ${plants}`, () => {
      for (let commit = 0; commit < 700; commit += 1) create(plants);
      assert.ok(countSegments() < 60, `it has ${countSegments()} segments`);
    });
  }
});
