/** The window on a list: what it reads, what it keeps, and how it follows changes. The service is a list of ids here. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PlantWindow } from '../../console/src/plants/plant-window.ts';
import type { PagePlace } from '../../console/src/plants/row-reader.ts';
import type { StoredPlant } from '../../src/client/client.ts';
import { makeRandom } from '../crash/random.ts';

/** Set SEED to reproduce a failure. */
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const random = makeRandom(seed);
const pageSize = 200;
const screenRows = 20;

interface Options {
  readonly direction?: 1n | -1n;
  /** Whether the list was counted. */
  readonly isCounted?: boolean;
  readonly fail?: () => boolean;
}

/** A list of these ids, which ascend and may change, and the window on it. */
function open(ids: bigint[], { direction = 1n, isCounted = false, fail }: Options = {}) {
  let reads = 0;
  const inOrder = (): readonly bigint[] => (direction === 1n ? ids : ids.toReversed());
  const toPlants = (found: readonly bigint[]) => found.map((id): StoredPlant => ({ id, name: 'Plant' }));
  const plants = new PlantWindow(
    {
      direction,
      compare: (one, other) => Number((one.id - other.id) * direction),
      read: async (place: PagePlace) => {
        reads++;
        await new Promise(setImmediate);
        if (fail?.() === true) throw new Error('No answer');
        const isForward = place === 'start' || (place !== 'end' && 'after' in place);
        const rest = inOrder().filter((id) => {
          if (typeof place === 'string') return true;
          return 'after' in place ? (id - place.after) * direction > 0n : (id - place.upTo) * direction <= 0n;
        });
        const found = isForward ? rest.slice(0, pageSize) : rest.slice(-pageSize);
        return { items: toPlants(found), isLast: found.length === rest.length };
      },
    },
    () => undefined,
  );
  if (isCounted) plants.setCount(ids.length);
  /** Shows the rows until nothing is read any more, as the list does, which looks each time that it is drawn. */
  const look = async (first: number, last = first + screenRows): Promise<void> => {
    let before: number;
    do {
      before = reads;
      plants.look(first, last);
      while (plants.isLoading) await new Promise(setImmediate);
    } while (reads > before);
  };
  const last = (): number => plants.first + plants.rowCount - 1;
  /** The rows, in memory or not, from the first to the last. */
  const readAll = async (): Promise<bigint[]> => {
    const seen: bigint[] = [];
    for (let row = plants.first; row <= last(); row++) {
      if (plants.row(row) === undefined || (row - plants.first) % 50 === 0) await look(row);
      seen.push(plants.row(row)?.id ?? assert.fail(`row ${row} is missing`));
    }
    return seen;
  };
  return { plants, look, last, readAll, inOrder, readCount: () => reads };
}

const range = (count: number, toId: (at: number) => bigint = (at) => BigInt(at)): bigint[] =>
  Array.from({ length: count }, (_, at) => toId(at));

describe('PlantWindow', () => {
  it('reads one page to begin with, and the next when its end is near', async () => {
    const { plants, look, readCount } = open(range(1_000));
    await look(0);
    assert.deepEqual([plants.rowCount, readCount(), plants.isWhole], [200, 1, false]);
    await look(30);
    assert.equal(readCount(), 1);
    await look(70);
    assert.deepEqual([plants.rowCount, readCount()], [400, 2]);
    for (let row = 0; row < 1_000; row += 50) await look(row);
    assert.deepEqual([plants.rowCount, plants.isWhole], [1_000, true]);
    assert.equal(plants.row(999)?.id, 999n);
  });

  it('drops rows far away, and reads them again when they are visible', async () => {
    const { plants, look, last } = open(range(10_000));
    for (let row = 0; row < 9_990; row += 80) await look(row);
    assert.equal(plants.rowCount, 10_000);
    const held = plants.rowsBetween(plants.first, last());
    assert.ok(held.length <= 2_500, `${held.length} rows are held`);
    assert.equal(plants.row(0), undefined);
    await look(0);
    assert.deepEqual([plants.row(0)?.id, plants.rowCount], [0n, 10_000]);
  });

  it('has no gap when somebody scrolls far up while the next page is read', async () => {
    const { plants, look, inOrder } = open(range(3_000));
    for (let row = 0; row < 1_500; row += 80) await look(row);
    plants.look(1_520, 1_540);
    plants.look(300, 320);
    while (plants.isLoading) await new Promise(setImmediate);
    await look(1_310);
    assert.deepEqual(
      plants.rowsBetween(1_300, 1_400).map(({ id }) => id),
      inOrder().slice(1_300, 1_401),
    );
  });

  for (const direction of [1n, -1n] as const)
    it(`shows the last plant at once, and all before it (${direction})`, async () => {
      const { plants, look, last, inOrder, readAll, readCount } = open(range(20_000), { direction, isCounted: true });
      await look(0);
      assert.equal(plants.rowCount, 20_000);
      await look(last() - screenRows, last());
      assert.deepEqual([plants.row(last())?.id, readCount()], [inOrder().at(-1), 2]);
      assert.deepEqual(await readAll(), inOrder());
      assert.deepEqual([plants.first, plants.rowCount], [0, 20_000]);
    });

  it('shows the last plant of a list that nobody has counted, and corrects how long it is', async () => {
    const { plants, look, last } = open(range(3_000));
    await look(0);
    plants.revealEnd('end');
    while (plants.isLoading) await new Promise(setImmediate);
    assert.deepEqual([plants.revealed, plants.row(last())?.id], [last(), 2_999n]);
    for (let row = last(); row >= plants.first; row -= 15) await look(row - screenRows, row);
    assert.deepEqual([plants.row(plants.first)?.id, plants.rowCount], [0n, 3_000]);
  });
});

describe('a place far from what was read', () => {
  const unique = (ids: readonly bigint[]): bigint[] => [...new Set(ids)].sort((one, other) => (one < other ? -1 : 1));
  const fewer = (): bigint => BigInt(Math.floor(Math.exp(random.integer(0, 40_000_000) / 1e6)));
  const count = 30_000;
  for (const [what, ids] of [
    ['are numbered', range(count)],
    ['are random numbers of 9 digits', unique(range(count, () => BigInt(random.integer(0, 2 ** 30 - 1))))],
    ['are all int64', unique(range(count, random.int64))],
    ['have gaps', range(count, (at) => BigInt(at + (at > 10_000 ? 5_000_000 : 0) + (at > 22_000 ? 9e15 : 0)))],
    [
      'are article numbers beside own ones',
      [...range(22_000), ...range(8_000, (at) => 4_000_000_000_000n + BigInt(at * 977))],
    ],
    ['are the fewer the larger they are', unique(range(count, fewer))],
  ] as const)
    for (const direction of [1n, -1n] as const)
      it(`is found with few requests when ids ${what} (${direction}, SEED=${seed})`, async () => {
        for (const part of [0.1, 0.37, 0.5, 0.9]) {
          const { plants, look, inOrder, readCount } = open([...ids], { direction, isCounted: true });
          await look(0);
          const wanted = Math.floor(part * ids.length);
          await look(wanted);
          const found = inOrder().indexOf(plants.row(wanted)?.id ?? assert.fail('is not loaded'));
          assert.ok(Math.abs(found - wanted) <= 0.1 * ids.length, `row ${wanted} is ${found} in truth`);
          assert.ok(readCount() <= 12, `${readCount()} requests`);
        }
      });

  it('is part of a list without gaps, whatever was estimated: rows meet its ends, and the place is corrected', async () => {
    const ids = unique(range(6_000, fewer));
    const { plants, look, last, inOrder, readAll } = open(ids, { isCounted: true });
    await look(0);
    await look(Math.floor(ids.length / 2));
    for (let row = plants.top; row < last(); row += 15) await look(row);
    assert.deepEqual([plants.row(last())?.id, plants.rowCount], [ids.at(-1), ids.length]);
    for (let row = last(); row > plants.first; row -= 15) await look(row - screenRows, row);
    assert.deepEqual([plants.row(plants.first)?.id, plants.rowCount], [ids[0], ids.length]);
    assert.deepEqual(await readAll(), inOrder());
  });
});

describe('plants that come and go', () => {
  for (const [what, change] of [
    ['came', (ids: bigint[]) => ids.splice(303, 0, 3_021n, 3_022n, 3_023n)],
    ['came after the last one', (ids: bigint[]) => ids.push(...range(500, (at) => BigInt(100_000 + at)))],
    ['went', (ids: bigint[]) => ids.splice(303, 2)],
    ['went with all that follow', (ids: bigint[]) => ids.splice(150)],
  ] as const) {
    for (const [how, isFar, act] of [
      ['where no rows are held', true, (_plants: PlantWindow, come: () => unknown) => come()],
      [
        'and it is refreshed',
        false,
        (plants: PlantWindow, come: () => unknown) => {
          come();
          plants.refresh();
        },
      ],
      [
        'while a page is read, and it is refreshed',
        false,
        (plants: PlantWindow, come: () => unknown) => {
          plants.refresh();
          plants.look(300, 320);
          come();
          plants.refresh();
        },
      ],
    ] as const) {
      // What comes after the last row of a list is not looked for by itself.
      if (isFar && what === 'came after the last one') continue;
      it(`are shown once when they ${what} ${how}`, async () => {
        const ids = range(isFar ? 6_000 : 700, (at) => BigInt(at * 10));
        const { plants, look, last, readAll } = open(ids);
        for (let row = 0; row < last(); row += 50) await look(row);
        act(plants, () => change(ids));
        await look(plants.first);
        assert.deepEqual(await readAll(), ids);
        assert.equal(plants.rowCount, ids.length);
      });
    }
  }

  it('leave what is visible in place until it is read again', async () => {
    const ids = range(5_000, (at) => BigInt(at * 10));
    const { plants, look } = open(ids, { isCounted: true });
    await look(0);
    await look(2_000);
    const [row, id] = [2_005, plants.row(2_005)?.id];
    ids.splice(10, 1);
    ids.push(99_999n);
    plants.refresh();
    assert.equal(plants.row(row)?.id, id);
    await look(2_000);
    assert.equal(plants.row(row)?.id, id);
  });

  it('are put at their place, and taken away', async () => {
    const { plants, look } = open(range(300, (at) => BigInt(at * 2)));
    await look(0, 250);
    plants.insert({ id: 5n, name: 'New' });
    assert.deepEqual(
      [2, 3, 4].map((number) => plants.row(number)?.id),
      [4n, 5n, 6n],
    );
    plants.insert({ id: -1n, name: 'First' });
    plants.insert({ id: 9_999n, name: 'Last' });
    assert.deepEqual([plants.row(0)?.id, plants.row(plants.rowCount - 1)?.id, plants.rowCount], [-1n, 9_999n, 303]);
    plants.remove(4n);
    assert.deepEqual([plants.rowCount, plants.numberOf(4n)], [302, undefined]);
    plants.replace({ id: 5n, name: 'Renamed' });
    assert.equal(plants.row(plants.numberOf(5n) ?? 0)?.name, 'Renamed');
  });

  it('are counted where rows are held, and left to their page elsewhere', async () => {
    const { plants, look, last } = open(
      range(5_000, (at) => BigInt(at * 2)),
      { isCounted: true },
    );
    await look(0);
    await look(last() - screenRows, last());
    for (const id of [4_001n, 9_901n, 10_001n]) plants.insert({ id, name: 'New' });
    plants.remove(9_902n);
    assert.deepEqual([plants.rowCount, plants.row(last())?.id], [5_001, 10_001n]);
    assert.equal(plants.numberOf(9_900n), (plants.numberOf(9_901n) ?? 0) - 1);
    assert.deepEqual([plants.numberOf(4_001n), plants.placeOf({ id: 4_003n, name: '' })], [undefined, undefined]);
  });

  it('are put between two pages, and restored ones where all of their page were deleted', async () => {
    const { plants, look, last } = open(range(900, (at) => BigInt(at * 2)));
    for (let row = 0; row < last(); row += 50) await look(row);
    plants.insert({ id: 399n, name: 'Between' });
    assert.equal(plants.numberOf(399n), 200);
    for (let id = 0n; id < 500n; id++) plants.remove(id);
    assert.equal(plants.row(0)?.id, 500n);
    for (let id = 0n; id < 500n; id += 2n) plants.insert({ id, name: 'Restored' });
    assert.deepEqual(
      range(plants.rowCount).map((at) => plants.row(Number(at))?.id),
      range(900, (at) => BigInt(at * 2)),
    );
  });

  it('do not keep what follows from being read when all rows in memory were deleted', async () => {
    const ids = range(1_000, (at) => BigInt(at * 10));
    const { plants, look } = open(ids);
    await look(0);
    for (const id of ids.splice(0, 200)) plants.remove(id);
    await look(0);
    assert.equal(plants.row(plants.first)?.id, 2_000n);
  });
});

describe('a plant that is to be seen', () => {
  it('has its number, after the rows around it are read if need be', async () => {
    const { plants, look, readCount } = open(range(50_000), { isCounted: true });
    await look(0);
    plants.reveal({ id: 7n, name: '' });
    assert.deepEqual([plants.revealed, readCount()], [7, 1]);
    for (const id of [31_415n, 49_999n]) {
      await look(plants.revealed ?? 0);
      plants.reveal({ id, name: '' });
      // The list is drawn before it knows.
      while (plants.isLoading) {
        plants.look(0, 20);
        await new Promise(setImmediate);
      }
      const number = plants.revealed ?? assert.fail('not found');
      assert.deepEqual([plants.row(number)?.id, number - plants.first], [id, Number(id)]);
      await look(number - 10);
      assert.equal(plants.row(number)?.id, id);
      assert.equal(plants.revealed, undefined);
    }
  });
});

describe('a list that cannot be read', () => {
  it('keeps the error, stops reading, and continues after retry()', async () => {
    let isAway = true;
    const { plants, look, readCount } = open(range(10), { fail: () => isAway });
    await look(0);
    await look(0);
    assert.match(String(plants.error), /No answer/);
    assert.equal(readCount(), 1);
    isAway = false;
    plants.retry();
    await look(0);
    assert.deepEqual([plants.error, plants.rowCount, plants.isWhole], [undefined, 10, true]);
  });
});
