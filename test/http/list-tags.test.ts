/** listTags: order, prefixes and pages, and counts after every kind of write. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { TagCount } from '../../src/domain/schemas.ts';
import { assertError } from '../support/assert-reply.ts';
import { importRows, ndjson } from '../support/bulk.ts';
import { get, nextOf, patch, put, readAll, readPages, remove, store, toRows } from '../support/one-plant.ts';
import { nextId } from '../support/plants.ts';
import { postPlant, request } from '../support/request.ts';
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

  it('returns an empty list for an empty store', async () => {
    const reply = await request(changing, { path: '/tags' });
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

describe('the counts of tags', () => {
  const counts = async (): Promise<Record<string, bigint>> => {
    const reply = await request(changing, { path: '/tags' });
    const found = Object.fromEntries(toRows<TagCount>(reply).map(({ tag, plants }) => [tag, plants]));
    return { ...found, all: BigInt(reply.headers['plants-stored'] ?? '-1') };
  };

  it('reflect each create, replace, update, delete and import', async () => {
    const [one, two] = [nextId(), nextId()];
    const steps: readonly (readonly [about: string, step: () => Promise<unknown>, counts: Record<string, bigint>])[] = [
      ['a create', () => postPlant(changing, { id: one, name: 'a', tag: 'x' }), { x: 1n, all: 1n }],
      ['its replay', () => postPlant(changing, { id: one, name: 'a', tag: 'x' }), { x: 1n, all: 1n }],
      ['a conflict', () => postPlant(changing, { id: one, name: 'a', tag: 'y' }), { x: 1n, all: 1n }],
      ['a put that creates', () => put(changing, two, { name: 'b', tag: 'x' }), { x: 2n, all: 2n }],
      ['a put of an equal plant', () => put(changing, two, { name: 'b', tag: 'x' }), { x: 2n, all: 2n }],
      ['another name', () => put(changing, two, { name: 'c', tag: 'x' }), { x: 2n, all: 2n }],
      ['another tag', () => put(changing, two, { name: 'c', tag: 'y' }), { x: 1n, y: 1n, all: 2n }],
      ['no tag', () => put(changing, two, { name: 'c' }), { x: 1n, all: 2n }],
      ['a patch that gives an empty one', () => patch(changing, two, { tag: '' }), { '': 1n, x: 1n, all: 2n }],
      ['a patch that changes nothing', () => patch(changing, two, {}), { '': 1n, x: 1n, all: 2n }],
      ['a patch that takes it away', () => patch(changing, two, { tag: null }), { x: 1n, all: 2n }],
      ['a refused delete', () => remove(changing, one, { 'if-match': '""' }), { x: 1n, all: 2n }],
      ['a delete', () => remove(changing, one), { all: 1n }],
      ['a second delete', () => remove(changing, one), { all: 1n }],
      ['the last delete', () => remove(changing, two), { all: 0n }],
    ];
    for (const [about, step, wanted] of steps) {
      await step();
      assert.deepEqual(await counts(), wanted, about);
    }
    const imported = `{"id":${one},"name":"a","tag":"x"}\n{"id":${two},"name":"b","tag":"x"}\n`;
    await importRows(changing, ndjson, imported, '?dryRun=true');
    assert.deepEqual(await counts(), { all: 0n }, 'a dry run counts nothing');
    await importRows(changing, ndjson, imported);
    assert.deepEqual(await counts(), { x: 2n, all: 2n });
    await importRows(changing, ndjson, imported.replace('"x"', '"y"'), '?onConflict=replace');
    assert.deepEqual(await counts(), { x: 1n, y: 1n, all: 2n });
  });

  it('are correct after 300 concurrent writes', async () => {
    const ids = Array.from({ length: 30 }, () => nextId());
    const change = (id: bigint, round: number): Promise<unknown> => {
      if (round % 3 === 0) return put(changing, id, { name: 'a', tag: `t${(Number(id) + round) % 4}` });
      return round % 3 === 1 ? patch(changing, id, { tag: round % 2 === 0 ? null : 'patched' }) : remove(changing, id);
    };
    await Promise.all(Array.from({ length: 10 }, (_, round) => ids.map((id) => change(id, round))).flat());
    const wanted: Record<string, bigint> = {};
    for (const { tag } of await readAll(changing, '/plants?limit=1000')) {
      if (tag !== undefined) wanted[tag] = (wanted[tag] ?? 0n) + 1n;
    }
    const { all: _, ...found } = await counts();
    assert.deepEqual(found, wanted);
  });

  it('have pages below the base path, which stay correct while tags are added and removed', async () => {
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
