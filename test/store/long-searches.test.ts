/** How much a page of a search looks at where no index knows which plants match. Results are tested in behaviour-plants.ts. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import type { Store } from '../../src/domain/store.ts';
import { listPlants } from '../../src/http/operations/plants.ts';
import { lookedAtMax } from '../../src/store/search-terms.ts';
import { migrate } from '../../src/store/sqlite/migrations.ts';
import { openMemoryStore } from '../../src/store/sqlite/open-memory-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import { preparePlantSearch } from '../../src/store/sqlite/tables/plant-search.ts';
import { refreshSearchIndex } from '../../src/store/sqlite/tables/search-index.ts';
import { makeFolder } from '../support/clean-up.ts';
import { roomyLimits as limits } from './open-temporary-store.ts';

/** More words than are looked up have "fern" and "moss" in them; only the plant after the first page has both. */
const last = { id: BigInt(lookedAtMax), name: 'xfern1 xmoss1' };
const page = { search: 'fern moss', limit: 10 };
const numbers = (count: number): string =>
  `WITH RECURSIVE n (i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`;
/** Indexes words of a plant that does not exist. */
const indexWords = (word: string, count: number): string =>
  `INSERT INTO plant_words (rowid, tokens) ${numbers(count)} SELECT -1, group_concat('${word}' || i, ' ') FROM n`;
let image: Uint8Array;

before(() => {
  const db = new DatabaseSync(':memory:', { readBigInts: true });
  migrate(db);
  refreshSearchIndex(db, () => undefined);
  db.exec(`INSERT INTO plants (id, name) ${numbers(lookedAtMax)} SELECT i, iif(i % 2, 'xfern', 'xmoss') || i % 600 FROM n;
    INSERT INTO plants (id, name) VALUES (${last.id}, '${last.name}');
    ${indexWords('xfern', 600)}; ${indexWords('xmoss', 600)}`);
  image = db.serialize();
  db.close();
});

describe('a page of a search', () => {
  const looksAt = async (store: Store): Promise<void> => {
    const { plants, next } = await store.plants.list(page);
    assert.deepEqual(plants, []);
    assert.deepEqual(next, { ...page, after: last.id - 1n });
    assert.deepEqual(await store.plants.list({ ...page, after: last.id - 1n }), {
      plants: [last],
      next: undefined,
    });
  };

  it('in memory looks at 100,000 plants, and says where to go on', async () => {
    const store = openMemoryStore({ image, limits });
    await looksAt(store).finally(() => store.close());
  });

  it('in a data folder does so, too, and its link leads on', async (t) => {
    const folder = await makeFolder(t);
    writeFileSync(join(folder, 'plants.db'), image);
    const store = await openSqliteStore(folder, { limits });
    try {
      await looksAt(store);
      const call = { parameters: { search: 'fern moss', limit: 10, order: 'asc' } } as Parameters<typeof listPlants>[0];
      const { headers, body } = await listPlants(call, store);
      const [, cursor = ''] = /cursor=([^&>]*)/.exec(headers['link'] ?? '') ?? [];
      assert.equal(body, '[]');
      const rest = { ...call, parameters: { ...call.parameters, cursor } };
      const further = await listPlants(rest, store);
      assert.equal(further.body, '[{"id":100000,"name":"xfern1 xmoss1"}]');
      assert.equal(further.headers['link'], undefined);
    } finally {
      await store.close();
    }
  });
});

describe('preparePlantSearch()', () => {
  const db = new DatabaseSync(':memory:', { readBigInts: true });
  migrate(db);
  const list = (word: string, count: number): void => db.exec(indexWords(word, count));
  list('xfern', 400);
  list('xmoss', 300);
  list('xivy', 16);
  const toQuery = preparePlantSearch(db);
  after(() => db.close());
  const wordsOf = (search: string): readonly string[] => [
    ...new Set(toQuery({ search }).match?.match(/fern|moss|ivy/g) ?? []),
  ];

  it('asks the index for few words together, or for one part of more: FTS5 compares each plant with each word', () => {
    assert.deepEqual(wordsOf('fern moss'), ['moss']);
    assert.deepEqual(wordsOf('moss fern'), ['moss']);
    assert.deepEqual(wordsOf('moss ivy fern'), ['ivy']);
    assert.equal(toQuery({ search: 'ivy' }).isWanted, undefined);
  });

  it('looks up the four longest parts, each of which reads all words in use', () => {
    assert.deepEqual(wordsOf('ivy absent1 absent2 absent3 absent4'), []);
    assert.deepEqual(wordsOf('ivy absent1 absent2 absent3'), ['ivy']);
  });
});
