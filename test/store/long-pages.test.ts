/** How much of long texts a page reads, and how much of it in one turn. Other pages are tested in behaviour-plants.ts. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type PlantPage, type PlantQuery, pageLengthMax } from '../../src/domain/store.ts';
import { openMemoryStore } from '../../src/store/sqlite/open-memory-store.ts';
import { listInTurns, Turns } from '../../src/store/sqlite/turns.ts';

const limit = 1_001;
const rowsAtOnce = 128;
const rowsPerTurn = 32;
const long = '月'.repeat(1_000);

/** Lists a plant for each name, as a store does. */
function toList(names: readonly string[]): (query: PlantQuery) => PlantPage {
  const plants = names.map((name, at) => ({ id: BigInt(at), name }));
  return ({ after: last = -1n, limit: most }) => ({
    plants: plants.filter(({ id }) => id > last).slice(0, most),
    next: undefined,
  });
}

describe('listInTurns()', () => {
  for (const [about, names, count] of [
    ['short rows has all of them', Array.from({ length: 1_100 }, (_, at) => `Fern ${at}`), limit],
    ['fewer rows than the limit has all of them', Array.from({ length: 300 }, () => 'Fern'), 300],
    ['as many rows as two turns has all of them', Array.from({ length: 2 * rowsPerTurn }, () => 'Fern'), 64],
    // 500 rows are no longer than a page; the 501st is, and one more follows.
    ['long rows ends with the turn that reads one more than a page', Array.from({ length: 1_100 }, () => long), 512],
  ] as const)
    it(`of ${about}`, async () => {
      const list = toList(names);
      assert.deepEqual(await listInTurns(list, { limit }, new Turns()), list({ limit: count }));
    });

  it('of rows that are a page with the last one of a turn reads one more', async () => {
    // 511 rows are as long as a page, and the 512th ends a turn.
    const lengths = Array.from(
      { length: 511 },
      (_, at) => Math.trunc(pageLengthMax / 511) + (at < pageLengthMax % 511 ? 1 : 0),
    );
    const list = toList([...lengths, 1_000, 1_000].map((length) => 'x'.repeat(length)));
    assert.equal((await listInTurns(list, { limit }, new Turns())).plants.length, 513);
  });

  it('reads a page of the usual limit at once', async () => {
    const list = toList(Array.from({ length: 1_100 }, () => 'Fern'));
    for (const [wanted, readsMax] of [
      [rowsAtOnce, 1],
      [rowsAtOnce + 1, 5],
    ] as const) {
      let reads = 0;
      const counting = (query: PlantQuery): PlantPage => ((reads += 1), list(query));
      assert.equal((await listInTurns(counting, { limit: wanted }, new Turns())).plants.length, wanted);
      assert.equal(reads, readsMax);
    }
  });

  it('reads 32 rows of longer pages in a turn, for all pages together, after the first rows of each', async () => {
    const turns = new Turns();
    const state = { turn: 0, isDone: false };
    const read = new Map<number, number>();
    const list = toList(Array.from({ length: 1_100 }, () => 'Fern'));
    const noting = (query: PlantQuery): PlantPage => {
      const found = list(query);
      read.set(state.turn, (read.get(state.turn) ?? 0) + found.plants.length);
      return found;
    };
    const pages = Promise.all([1, 2, 3].map(() => listInTurns(noting, { limit }, turns))).finally(
      () => (state.isDone = true),
    );
    for (; !state.isDone; state.turn += 1) await setImmediate();
    await pages;
    const [first = 0, ...later] = [...read.values()];
    assert.equal(first, 3 * rowsPerTurn);
    assert.ok(
      later.every((rows) => rows <= rowsPerTurn),
      later.join(),
    );
  });
});

describe('a page of long texts, in a store', () => {
  const store = openMemoryStore({ limits: { writesMax: 1_000, bytesMax: 100_000_000 } });
  after(() => store.close());

  it('ends with one row more than a page, in every list', async () => {
    const rows = Array.from({ length: 700 }, (_, at) => ({
      id: BigInt(at),
      name: long,
      tag: String(at).padEnd(1_000, '花'),
    }));
    await store.plants.import(rows, { onConflict: 'fail', dryRun: false });
    for (let at = 0; at < 200; at += 1) await store.plants.patch(7n, { name: String(at).padEnd(1_000, '月') }, {});
    const { changes, next, hasMore } = await store.changes.read({ limit });
    assert.equal(changes.length, 252, 'two texts of 1,000 each');
    assert.equal(next, changes.at(-1)?.position);
    assert.ok(hasMore);
    const newest = await store.changes.read({ limit, order: 'desc' });
    assert.equal(newest.changes.length, 127, 'four texts');
    assert.equal(newest.next, newest.changes.at(-1)?.position);
    assert.equal((await store.changes.history(7n, limit)).length, 127);
    const { tags } = await store.plants.listTags({ limit });
    assert.equal(tags.length, 502);
    assert.equal((await store.plants.listTags({ limit, after: tags[0]?.tag ?? '' })).tags.length, 502);
  });
});
