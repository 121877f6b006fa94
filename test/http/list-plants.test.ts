/** listPlants: order, limits, links, filters and cursors. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { StoredPlant } from '../../src/domain/schemas.ts';
import { matchesName } from '../support/matches-name.ts';
import { assertError } from '../support/assert-reply.ts';
import { ndjson, importRows } from '../support/bulk.ts';
import { nextOf, put, readAll, remove, store, toRows } from '../support/one-plant.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';
import { toJson } from '../../src/json/to-json.ts';

const service = await startService({ after });
const prefixed = await startService({ after }, { env: { PLANT_STORE_BASE_PATH: '/api/v1' } });

/** Names that Unicode makes hard to compare, each with repeated tags. */
const names = [
  ...['', ' ', 'Monstera', 'monstera', 'MONSTERA deliciosa', 'Monst\u00e9ra', 'Monste\u0301ra', 'Mon', 'mo', 'm'],
  ...['\u00c9cho', 'E\u0301cho', '\u00e9cho', 'echo', 'ECHO', '\u00c8cho', 'E\u0323\u0301cho', 'E\u0301\u0323cho'],
  ...['stra\u00dfe', 'STRASSE', 'stra\u1e9ee', 'strase', 'Stra\u00df', '\u00df', 'ss', 's'],
  ...['istanbul', 'Istanbul', '\u0130stanbul', '\u0131stanbul', 'I\u0307stanbul', 'ISTANBUL'],
  ...[
    '\u03c3',
    '\u03c2',
    '\u03a3',
    '\u03bf\u03b4\u03cc\u03c2',
    '\u039f\u0394\u039f\u03a3',
    '\u039f\u0394\u039f\u03a3\u03a4\u03a1\u03a9\u039c\u0391',
  ],
  ...['\ufb01cus', 'ficus', 'FICUS', '\u01c6', '\u01c5', 'D\u017d'],
  ...['Z\u0351\u0344\u0312a\u0310\u0314\u030alg\u0313\u0327o\u0300\u0321', 'zalgo', 'ZALGO!'],
  ...['\u0301', '\u0301a', 'a', '\u00e5', '\u212b', 'A\u030a', '\u00e6', '\u00f8'],
  ...['\ud7a3', '\u1112\u1175\u11c2', '\u1112\u1175', '\u304c', '\u304b\u3099', '\u304b'],
  ...['\ud7ff', '\ue000', '\uffff', '\u{10000}', '🌱', '🌱🌱', '\u{10ffff}', '\u{10ffff}\u{10ffff}', 'a\u{10ffff}'],
  ...['Mentha \u00d7piperita', 'Mentha \u00d7 piperita', '🌵Cactus'],
  ...['%', '_', '100%', '*', '\\', "'; --", 'a b', 'a+b', '\u2028', '\u202e', 'x'.repeat(1000), '🌱'.repeat(1000)],
];
const tags = [undefined, '', 'a', 'A', '\u00e9', 'e\u0301', ' a', '🌱', '%'];
const edges = [-(2n ** 63n), -(2n ** 63n) + 1n, -9007199254740993n, 9007199254740992n, 9007199254740993n];
const idOf = (index: number): bigint => edges[index] ?? (index % 2 === 0 ? 2n ** 63n - BigInt(index) : -BigInt(index));

const model: StoredPlant[] = names
  .flatMap((name) => tags.map((tag) => (tag === undefined ? { name } : { name, tag })))
  .concat({ name: 'the last' })
  .map((plant, index) => ({ id: index === names.length * tags.length ? 2n ** 63n - 1n : idOf(index), ...plant }))
  .sort((one, other) => (one.id < other.id ? -1 : 1));

const { created } = await importRows(service, ndjson, model.map((plant) => `${toJson({ ...plant })}\n`).join(''));
assert.equal(created, model.length);

/** The expected result. */
function filter({ tag, name }: { readonly tag?: string; readonly name?: string }): StoredPlant[] {
  return model.filter((plant) => (tag === undefined || plant.tag === tag) && matchesName(plant.name, name));
}

const toQuery = (parameters: Readonly<Record<string, string>>): string =>
  `/plants?${new URLSearchParams(parameters).toString()}`;

describe('listPlants', () => {
  it('returns an empty list without a link for an empty store', async (t) => {
    const reply = await request(await startService(t), { path: '/plants' });
    assert.deepEqual([reply.text, reply.headers['link']], ['[]', undefined]);
  });

  it('returns plants in ascending order of their signed ids, exactly', async () => {
    const first = toRows(await request(service, { path: '/plants?limit=3' }));
    assert.deepEqual(
      first.map(({ id }) => id),
      [-(2n ** 63n), -(2n ** 63n) + 1n, -9007199254740993n],
    );
    const all = await readAll(service, '/plants?limit=1000');
    assert.deepEqual(all, model);
    assert.equal(all.at(-1)?.id, 2n ** 63n - 1n);
  });

  it('returns them in descending order, page by page, and only those between two ids', async () => {
    for (const [query, wanted] of [
      ['order=desc', model.toReversed()],
      [
        'order=desc&above=-9223372036854775807&below=0&tag=A',
        filter({ tag: 'A' })
          .filter(({ id }) => id > -9223372036854775807n && id < 0n)
          .reverse(),
      ],
      ['below=0&name=m', filter({ name: 'm' }).filter(({ id }) => id < 0n)],
      ['order=asc&below=-9223372036854775808', []],
    ] as const) {
      assert.deepEqual(await readAll(service, `/plants?${query}&limit=90`), wanted, query);
    }
    const next = nextOf(await request(service, { path: '/plants?order=desc&above=-9&below=9&limit=1' }));
    assert.match(next ?? '', /^\/plants\?limit=1&order=desc&above=-9&below=9&cursor=[\w-]+$/);
  });

  for (const [limit, rows] of [
    ['', 100],
    ['limit=1', 1],
    ['limit=999', Math.min(999, model.length)],
    ['limit=1000', Math.min(1000, model.length)],
  ] as const) {
    it(`returns ${rows} plants with ${limit === '' ? 'no limit' : limit}`, async () => {
      const reply = await request(service, { path: `/plants?${limit}` });
      assert.deepEqual(toRows(reply), model.slice(0, rows));
      assert.equal(nextOf(reply) === undefined, rows === model.length);
    });
  }

  // test/contract tests what each parameter may be.
  it('refuses another value, and says why', async () => {
    const reply = await request(service, { path: '/plants?limit=1001' });
    assertError(reply, 'query_invalid');
    assert.ok(reply.message?.endsWith('. "limit" must be an integer from 1 to 1000'), reply.text);
  });

  it('ignores unknown parameters with any value, and omits them from links', async () => {
    const reply = await request(service, { path: '/plants?limit=2&Limit=0&colour=%zz&x&x' });
    assert.deepEqual(toRows(reply), model.slice(0, 2));
    assert.match(nextOf(reply) ?? '', /^\/plants\?limit=2&cursor=[\w-]+$/);
  });
});

describe('the link to the next page', () => {
  for (const limit of [1, 7, 100, model.length - 1]) {
    it(`leads through all plants, ${limit} at a time`, async () => {
      const rows: StoredPlant[] = [];
      let pages = 0;
      // With pages of one plant, the first few suffice.
      const wanted = limit === 1 ? 20 : model.length;
      for (
        let path: string | undefined = `/plants?limit=${limit}`;
        path !== undefined && rows.length < wanted;
        pages++
      ) {
        const reply = await request(service, { path });
        const page = toRows(reply);
        rows.push(...page);
        path = nextOf(reply);
        assert.equal(page.length, path === undefined ? ((model.length - 1) % limit) + 1 : limit);
      }
      assert.deepEqual(rows, model.slice(0, wanted));
      assert.equal(pages, Math.ceil(wanted / limit));
    });
  }

  it('is missing if the page ends with the last plant', async () => {
    const { length } = filter({ tag: 'A' });
    assert.notEqual(nextOf(await request(service, { path: `/plants?tag=A&limit=${length - 1}` })), undefined);
    assert.equal(nextOf(await request(service, { path: `/plants?tag=A&limit=${length}` })), undefined);
  });

  it('keeps the filters, encoded, and is below the base path', async () => {
    for (const id of [1n, 2n]) await store(prefixed, { id, name: 'É &+%', tag: '🌱=;"' });
    const reply = await request(prefixed, { path: toQuery({ tag: '🌱=;"', name: 'é &+', search: 'É', limit: '1' }) });
    const next = nextOf(reply) ?? '';
    assert.ok(next.startsWith('/api/v1/plants?'), next);
    assert.match(next, /^[\x21-\x7e]+$/);
    const { cursor: _, ...others } = Object.fromEntries(new URL(next, prefixed.url).searchParams);
    assert.deepEqual(others, { tag: '🌱=;"', name: 'é &+', search: 'É', limit: '1' });
    const second = await request(prefixed, { path: next.slice('/api/v1'.length) });
    assert.deepEqual(toRows(second), [{ id: 2n, name: 'É &+%', tag: '🌱=;"' }]);
    assert.equal(nextOf(second), undefined);
  });

  it('keeps to plants without a tag, of which it may be the first page', async () => {
    const rows: StoredPlant[] = [];
    for (let path: string | undefined = '/plants?untagged=true&limit=3'; path !== undefined;) {
      const reply = await request(service, { path });
      rows.push(...toRows(reply));
      path = nextOf(reply);
    }
    assert.ok(rows.length > 3);
    assert.deepEqual(
      rows,
      model.filter(({ tag }) => tag === undefined),
    );
  });

  it('continues after a deleted plant, and includes plants added after it', async () => {
    const path = '/plants?tag=moving&limit=2';
    for (const id of [11n, 13n, 15n]) await store(prefixed, { id, name: 'a', tag: 'moving' });
    const next = (nextOf(await request(prefixed, { path })) ?? '').slice('/api/v1'.length);
    await remove(prefixed, 13n);
    await put(prefixed, 12n, { name: 'behind', tag: 'moving' });
    await put(prefixed, 14n, { name: 'ahead', tag: 'moving' });
    const rows = toRows(await request(prefixed, { path: next }));
    assert.deepEqual(
      rows.map(({ id }) => id),
      [14n, 15n],
    );
  });

  it('ends after the greatest id', async () => {
    const next = nextOf(await request(service, { path: `/plants?limit=${model.length - 1}` })) ?? '';
    const last = await request(service, { path: next });
    assert.deepEqual(toRows(last), model.slice(-1));
    assert.equal(nextOf(last), undefined);
    const cursor = Buffer.from('7fffffffffffffff', 'hex').toString('base64url');
    for (const more of ['', '&tag=a', '&name=a', '&name='])
      assert.equal((await request(service, { path: `/plants?cursor=${cursor}${more}` })).text, '[]');
  });
});

describe('a page of long rows', () => {
  const lengthMax = 500_000;
  /** 550 rows whose text is this long, with the bracket before and the commas between; then two more. */
  const toLongRows = (length: number): string[] => {
    const toRow = (at: number, name: string): string => toJson({ id: BigInt(1_000 + at), name });
    const left = length - 550 * (1 + toRow(0, '').length);
    return Array.from({ length: 552 }, (_, at) =>
      toRow(at, 'x'.repeat(Math.trunc(left / 550) + (at < left % 550 ? 1 : 0))),
    );
  };

  for (const [length, further] of [
    [lengthMax, 1],
    [lengthMax + 1, 0],
  ] as const) {
    it(`of ${length} characters ${further === 0 ? 'ends with its last row' : 'gets one more'}`, async () => {
      const long = await startService({ after });
      const rows = toLongRows(length);
      await importRows(long, ndjson, rows.join('\n'));
      const { text } = await request(long, { path: '/plants?limit=1000' });
      assert.equal(text, `[${rows.slice(0, 550 + further).join(',')}]`);
      assert.equal((await readAll(long, '/plants?limit=1000')).length, rows.length);
    });
  }

  it('links to the rest, in every list', async () => {
    const long = await startService({ after });
    const tagged = Array.from({ length: 600 }, (_, id) => toJson({ id, name: 'a', tag: String(id).padEnd(1000, 'x') }));
    await importRows(long, ndjson, tagged.join('\n'));
    for (let at = 0; at < 200; at++) await put(long, 7n, { name: String(at).padEnd(1000, 'y'), tag: 'z'.repeat(1000) });
    for (const [path, count] of [
      ['/plants', 600],
      ['/tags', 600],
      ['/plants/7/history', 201],
      ['/plants/changes?order=desc', 800],
      ['/plants/changes', 800],
    ] as const) {
      const rows = new Set<string>();
      let next: string | undefined = `${path}${path.includes('?') ? '&' : '?'}limit=1000`;
      for (let page = 0; next !== undefined && rows.size < count; page++) {
        const reply = await request(long, { path: next });
        const found = toRows<object>(reply).map(toJson);
        if (page === 0) assert.ok(reply.text.length > lengthMax && reply.text.length < 510_000, `${reply.text.length}`);
        for (const row of found) rows.add(row);
        next = nextOf(reply);
      }
      assert.equal(rows.size, count, path);
    }
  });
});

describe('a cursor', () => {
  const ofIds = Buffer.alloc(8).toString('base64url');
  const bad = [
    ['an empty one', ''],
    ['one of tags', Buffer.from('=seven by').toString('base64url')],
    ['one that is too short', Buffer.alloc(7).toString('base64url')],
    ['one that is too long', Buffer.alloc(9).toString('base64url')],
    ['one with a last character that no encoder writes', `${ofIds.slice(0, -1)}B`],
    ['one in base64', Buffer.alloc(7, 255).toString('base64')],
    ['one with padding', `${ofIds}=`],
    ['one with a space', `${ofIds.slice(0, 5)}%20${ofIds.slice(5)}`],
    ['an id', '7'],
    ['one of 6,001 characters', 'A'.repeat(6001)],
  ] as const;
  for (const [about, cursor] of bad) {
    it(`${about} is refused, and not repeated`, async () => {
      const reply = await request(service, { path: `/plants?cursor=${cursor}` });
      assertError(reply, 'query_invalid');
      assert.match(reply.message ?? '', /"cursor" must /);
      if (cursor.length > 10) assert.ok(!reply.text.includes(cursor));
    });
  }

  it('of plants is invalid for tags', async () => {
    for (const cursor of [
      ofIds,
      Buffer.from('tag').toString('base64url'),
      Buffer.from('=\xff', 'latin1').toString('base64url'),
    ])
      assertError(await request(service, { path: `/tags?cursor=${cursor}` }), 'query_invalid', cursor);
  });
});

describe('the filter', () => {
  for (const tag of [...tags.filter((each) => each !== undefined), 'none', 'a ', 'x'.repeat(1000)]) {
    it(`tag=${JSON.stringify(tag.slice(0, 10))} is exact to the code point`, async () => {
      assert.deepEqual(await readAll(service, toQuery({ tag, limit: '50' })), filter({ tag }));
    });
  }

  it('tag without a value is the empty tag', async () => {
    assert.deepEqual(await readAll(service, '/plants?tag'), filter({ tag: '' }));
  });

  it('tag and name are combined, page by page', async () => {
    for (const tag of ['', 'a', '🌱', 'none']) {
      for (const name of ['e', 'MON', '\u{10ffff}', 'ss', '']) {
        const found = await readAll(service, toQuery({ tag, name, limit: '3' }));
        assert.deepEqual(found, filter({ tag, name }), JSON.stringify([tag, name]));
      }
    }
  });
});
