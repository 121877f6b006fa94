/** listTags: order, prefixes and pages. The tests of the store port test the counts after each write. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { TagCount } from '../../src/domain/schemas.ts';
import { assertError } from '../support/assert-reply.ts';
import { importRows, ndjson } from '../support/bulk.ts';
import { get, nextOf, put, readAll, readPages, remove, store, toRows } from '../support/one-plant.ts';
import { nextId } from '../support/plants.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });
const changing = await startService({ after }, { env: { PLANT_STORE_BASE_PATH: '/api' } });

const tags = [
  ...['', ' ', ' a', 'A', 'a', 'a b', 'aa', 'ab', 'a\u0301', '\u00e1', 'b', 'B'],
  ...['\ud7ff', '\ue000', '\uffff', '\u{10000}', '🌱', '🌱🌱', '🌱a'],
  ...['\u{10ffff}', '\u{10ffff}\u{10ffff}', 'a\u{10ffff}'],
  ...['%', '_', '*', '"', '\\', '\u2028', 'x'.repeat(1000), '🌱'.repeat(1000), '10', '9'],
];
/** The first tag has one plant, the second two, and so on. */
let row = 0n;
const rows = tags.flatMap((tag, index) =>
  Array.from({ length: index + 1 }, () => `{"id":${++row},"name":"a","tag":${JSON.stringify(tag)}}\n`),
);
await importRows(service, ndjson, [...rows, `{"id":0,"name":"no tag"}\n`].join(''));

function byCodePoint(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
const model: readonly TagCount[] = tags
  .map((tag, index) => ({ tag, plants: BigInt(index + 1) }))
  .sort((one, other) => byCodePoint(one.tag, other.tag));

const read = (path: string): Promise<TagCount[]> => readAll<TagCount>(service, path);

describe('listTags', () => {
  it('returns each tag once, in code point order, with its number of plants', async () => {
    const reply = await request(service, { path: '/tags' });
    assert.deepEqual(toRows<TagCount>(reply), model);
    assert.equal(nextOf(reply), undefined);
    assert.equal(reply.headers['plants-stored'], String(rows.length + 1), 'those without a tag are counted here');
  });

  it('returns an empty list for an empty store', async (t) => {
    const reply = await request(await startService(t), { path: '/tags' });
    assert.deepEqual([reply.text, reply.headers['link'], reply.headers['plants-stored']], ['[]', undefined, '0']);
  });

  it('returns the tags with exactly the prefix', async () => {
    for (const prefix of [...tags, 'aaa', 'a\u0300', '\u{10ffff}\u{10ffff}\u{10ffff}', '🌱🌱'.repeat(500)]) {
      const wanted = model.filter(({ tag }) => tag.startsWith(prefix));
      const query = new URLSearchParams({ prefix, limit: '2' }).toString();
      assert.deepEqual(await read(`/tags?${query}`), wanted, prefix.slice(0, 8));
    }
  });

  for (const limit of [1, 2, model.length - 1, model.length, 1000]) {
    it(`leads through all tags, ${limit} at a time`, async () => {
      const pages = await readPages<TagCount>(service, `/tags?limit=${limit}`);
      assert.deepEqual(pages.flat(), model);
      assert.equal(pages.length, Math.ceil(model.length / limit));
    });
  }

  it('gives a link that can be followed, however long prefix and tags are', async () => {
    const long = await startService({ after });
    const prefix = '🌱'.repeat(998);
    for (const [id, end] of ['a', 'b'].entries())
      await put(long, BigInt(id), JSON.stringify({ name: 'a', tag: prefix + end }));
    const found = await readAll<TagCount>(long, `/tags?${new URLSearchParams({ prefix, limit: '1' }).toString()}`);
    assert.deepEqual(
      found.map(({ tag }) => tag),
      [`${prefix}a`, `${prefix}b`],
    );
  });

  it('refuses a cursor that it did not give', async () => {
    const cursors = ['7', 'AAAAAAAAAAA', 'PQ%3D%3D', 'PX', 'Pf8', 'PWEA', 'YQ', 'P'.repeat(6001)];
    for (const query of [...cursors.map((cursor) => `cursor=${cursor}`), 'limit=1001', 'prefix=%00']) {
      const reply = await request(service, { path: `/tags?${query}` });
      assertError(reply, 'query_invalid');
      assert.match(reply.message ?? '', /\. "(limit|prefix|cursor)" must /);
    }
  });

  it('accepts the cursor of the longest tag', async () => {
    const reply = await request(service, {
      path: `/tags?${new URLSearchParams({ prefix: '🌱'.repeat(999), limit: '1' }).toString()}`,
    });
    assert.equal(toRows<TagCount>(reply)[0]?.tag, '🌱'.repeat(1000));
    const cursor = Buffer.from(`=${'🌱'.repeat(1000)}`).toString('base64url');
    assert.deepEqual(
      await read(`/tags?cursor=${cursor}`),
      model.filter(({ tag }) => byCodePoint(tag, '🌱'.repeat(1000)) > 0),
    );
  });
});

describe('the pages of tags', () => {
  it('are below the base path, and stay correct while tags are added and removed', async () => {
    for (const tag of ['p1', 'p3', 'p5']) await store(changing, { id: nextId(), name: 'a', tag });
    const gone = nextId();
    await store(changing, { id: gone, name: 'a', tag: 'p2' });
    const first = await request(changing, { path: '/tags?prefix=p&limit=2' });
    assert.deepEqual(
      toRows<TagCount>(first).map(({ tag }) => tag),
      ['p1', 'p2'],
    );
    const next = nextOf(first) ?? '';
    assert.ok(next.startsWith('/api/tags?'), next);
    await remove(changing, gone);
    await store(changing, { id: nextId(), name: 'a', tag: 'p4' });
    const second = await request(changing, { path: next.slice('/api'.length) });
    assert.deepEqual(
      toRows<TagCount>(second).map(({ tag }) => tag),
      ['p3', 'p4'],
    );
    assert.equal((await get(changing, gone)).status, 404);
  });
});
