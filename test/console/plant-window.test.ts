/** The window on a list: what it reads, what it keeps, and how it follows changes. The service is a list of numbers here. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PlantWindow } from '../../console/src/plants/plant-window.ts';
import type { StoredPlant } from '../../src/client/client.ts';

const pageSize = 200;

/** A list of plants with even ids, in pages, and the window on it. */
function open(count: number, options: { readonly fail?: () => boolean } = {}) {
  let reads = 0;
  const settled: Promise<unknown>[] = [];
  const plants = new PlantWindow(
    (address) => {
      reads++;
      const reading = Promise.resolve().then(() => {
        if (options.fail?.() === true) throw new Error('No answer');
        const start = Number(address ?? 0);
        const length = Math.min(pageSize, count - start);
        const items = Array.from({ length }, (_, at): StoredPlant => ({ id: BigInt((start + at) * 2), name: 'Plant' }));
        return { items, next: start + length < count ? String(start + length) : undefined };
      });
      settled.push(reading.catch(() => undefined));
      return reading;
    },
    () => undefined,
  );
  /** Shows the rows and waits until they are loaded. */
  const look = async (first: number, last: number): Promise<void> => {
    plants.look(first, last);
    while (settled.length > 0) {
      await settled.shift();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { plants, look, readCount: () => reads };
}

/** A list of these ids, in pages that begin after an id, and the window on it. */
function openIds(ids: readonly bigint[]) {
  const plants = new PlantWindow(
    async (address = '-1') => {
      const rest = ids.filter((id) => id > BigInt(address));
      const items = rest.slice(0, pageSize).map((id): StoredPlant => ({ id, name: 'Plant' }));
      return { items, next: rest.length > pageSize ? String(items.at(-1)?.id) : undefined };
    },
    () => undefined,
  );
  /** Shows the rows until nothing is missing, as the list does, which looks each time that it is drawn. */
  const look = async (row: number): Promise<void> => {
    do {
      plants.look(row, row + 20);
      await new Promise((resolve) => setImmediate(resolve));
    } while (plants.isLoading || (plants.row(row) === undefined && row < plants.rowCount));
  };
  return { plants, look };
}

describe('PlantWindow', () => {
  it('reads one page to begin with, and the next when its end is near', async () => {
    const { plants, look, readCount } = open(1_000);
    await look(0, 20);
    assert.deepEqual([plants.rowCount, readCount(), plants.isWhole], [200, 1, false]);
    await look(30, 50);
    assert.equal(readCount(), 1);
    await look(70, 90);
    assert.deepEqual([plants.rowCount, readCount()], [400, 2]);
    for (let row = 0; row < 1_000; row += 50) await look(row, row + 20);
    assert.deepEqual([plants.rowCount, plants.isWhole], [1_000, true]);
    assert.equal(plants.row(999)?.id, 1998n);
  });

  it('drops rows far away, and reads them again when they are visible', async () => {
    const { plants, look } = open(10_000);
    for (let row = 0; row < 9_990; row += 80) await look(row, row + 20);
    assert.equal(plants.rowCount, 10_000);
    assert.ok(plants.heldRows <= 12 * pageSize, `${plants.heldRows} rows are held`);
    assert.equal(plants.row(0), undefined);
    await look(0, 20);
    assert.equal(plants.row(0)?.id, 0n);
    assert.equal(plants.rowCount, 10_000);
  });

  it('ends after 200,000 rows, and says so', async () => {
    const { plants, look, readCount } = open(210_000);
    while (!plants.isCut) await look(plants.rowCount - 20, plants.rowCount);
    await look(plants.rowCount - 20, plants.rowCount);
    assert.deepEqual([plants.rowCount, readCount(), plants.isWhole], [200_000, 1_000, false]);
    assert.ok(plants.heldRows <= 12 * pageSize, `${plants.heldRows} rows are held`);
    await look(0, 20);
    assert.equal(plants.row(0)?.id, 0n);
  });

  for (const [what, change] of [
    ['came', (ids: bigint[]) => ids.splice(303, 0, 3_021n, 3_022n, 3_023n)],
    [
      'came after the last one',
      (ids: bigint[]) => ids.push(...Array.from({ length: 500 }, (_, at) => BigInt(100_000 + at))),
    ],
    ['went', (ids: bigint[]) => ids.splice(303, 2)],
    ['went with all that follow', (ids: bigint[]) => ids.splice(150)],
  ] as const) {
    for (const [how, count, act] of [
      ['where no rows are held', 6_000, (_plants: PlantWindow, come: () => unknown) => come()],
      [
        'and it is refreshed',
        700,
        (plants: PlantWindow, come: () => unknown) => {
          come();
          plants.refresh();
        },
      ],
      [
        'while a page is read, and it is refreshed',
        700,
        (plants: PlantWindow, come: () => unknown) => {
          plants.refresh();
          plants.look(300, 320);
          come();
          plants.refresh();
        },
      ],
    ] as const) {
      // What comes after the last row of a whole list is not looked for by itself.
      if (how === 'where no rows are held' && what === 'came after the last one') continue;
      it(`shows each plant once when plants ${what} ${how}`, async () => {
        const ids = Array.from({ length: count }, (_, at) => BigInt(at * 10));
        const { plants, look } = openIds(ids);
        for (let row = 0; !plants.isWhole || row < plants.rowCount; row += 50) await look(row);
        act(plants, () => change(ids));
        const seen: (bigint | undefined)[] = [];
        for (let row = 0; row < plants.rowCount; row++) {
          await look(row);
          seen.push(plants.row(row)?.id);
        }
        assert.deepEqual(seen, ids);
        assert.equal(plants.isWhole, true);
      });
    }
  }

  it('shows what it has until a page is read again, and is whole only afterwards', async () => {
    const ids = Array.from({ length: 700 }, (_, at) => BigInt(at * 10));
    const { plants, look } = openIds(ids);
    for (let row = 0; !plants.isWhole; row += 50) await look(row);
    ids.splice(0, 1);
    ids.push(9_999n);
    plants.refresh();
    assert.deepEqual([plants.row(0)?.id, plants.isWhole], [0n, false]);
    await look(0);
    assert.deepEqual([plants.row(0)?.id, plants.isWhole], [10n, false]);
    for (let row = 0; row < 700; row += 20) await look(row);
    assert.deepEqual([plants.row(699)?.id, plants.isWhole], [9_999n, true]);
  });

  it('puts new plants at their place, and takes deleted ones away', async () => {
    const { plants, look } = open(300);
    await look(0, 250);
    await look(0, 250);
    plants.insert({ id: 5n, name: 'New' });
    assert.deepEqual(
      [2, 3, 4].map((index) => plants.row(index)?.id),
      [4n, 5n, 6n],
    );
    plants.insert({ id: -1n, name: 'First' });
    plants.insert({ id: 9_999n, name: 'Last' });
    assert.deepEqual([plants.row(0)?.id, plants.row(plants.rowCount - 1)?.id, plants.rowCount], [-1n, 9_999n, 303]);
    plants.remove(4n);
    assert.deepEqual([plants.rowCount, plants.indexOf(4n)], [302, -1]);
    plants.replace({ id: 5n, name: 'Renamed' });
    assert.equal(plants.row(plants.indexOf(5n))?.name, 'Renamed');
  });

  it('puts a plant between two pages, and restored plants where their page was deleted', async () => {
    const { plants, look } = open(900);
    for (let row = 0; !plants.isWhole; row += 50) await look(row, row + 20);
    plants.insert({ id: 399n, name: 'Between' });
    assert.equal(plants.indexOf(399n), 200);
    for (let id = 0n; id < 500n; id++) plants.remove(id);
    assert.equal(plants.row(0)?.id, 500n);
    for (let id = 0n; id < 500n; id += 2n) plants.insert({ id, name: 'Restored' });
    assert.deepEqual(
      Array.from({ length: plants.rowCount }, (_, at) => plants.row(at)?.id),
      Array.from({ length: 900 }, (_, at) => BigInt(at * 2)),
    );
  });

  it('reads a page again whose plants were all deleted', async () => {
    const ids = Array.from({ length: 700 }, (_, at) => BigInt(at * 10));
    const { plants, look } = openIds(ids);
    for (let row = 0; !plants.isWhole; row += 50) await look(row);
    for (const id of ids.splice(0, 200)) plants.remove(id);
    ids.unshift(1n, 2n, 3n);
    plants.refresh();
    await look(0);
    assert.equal(plants.row(0)?.id, 1n);
  });

  it('keeps the error of a read, stops reading, and continues after retry()', async () => {
    let isAway = true;
    const { plants, look, readCount } = open(10, { fail: () => isAway });
    await look(0, 5);
    await look(0, 5);
    assert.match(String(plants.error), /No answer/);
    assert.equal(readCount(), 1);
    isAway = false;
    plants.retry();
    await look(0, 5);
    assert.deepEqual([plants.error, plants.rowCount, plants.isWhole], [undefined, 10, true]);
  });
});
