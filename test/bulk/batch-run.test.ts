/** A batch while others write, and what ends it: on a store in memory. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { BatchRun, type BatchRunOptions } from '../../src/bulk/batch-run.ts';
import { RunningGroups } from '../../src/bulk/running-groups.ts';
import { ServiceError } from '../../src/domain/errors.ts';
import type { Batch, StoredPlant } from '../../src/domain/schemas.ts';
import { textLengthOf } from '../../src/domain/plant.ts';
import type { Store } from '../../src/domain/store.ts';
import { Semaphore } from '../../src/limits/semaphore.ts';
import type { OpenedStore } from '../store/behaviour.ts';
import { openInMemory } from '../store/open-temporary-store.ts';
import { until } from '../support/until.ts';

let opened: OpenedStore;
let store: Store;
let groups: RunningGroups;
beforeEach(async () => {
  groups = new RunningGroups();
  opened = await openInMemory();
  ({ store } = opened);
  await store.plants.import(
    Array.from({ length: 1_200 }, (_, index) => ({ id: BigInt(index), name: `plant ${index}`, tag: 'a' })),
    { onConflict: 'fail', dryRun: false },
  );
});
afterEach(() => opened.close());

type Others = Partial<BatchRunOptions> & { readonly on?: Store };

async function run(batch: Batch, { on = store, ...others }: Others = {}): Promise<Record<string, unknown>> {
  const batchRun = new BatchRun(on, {
    batch,
    principal: { tokenId: 'token', limitKey: 'token' },
    groups,
    places: new Semaphore(2),
    isAllowed: () => Promise.resolve(true),
    shutdown: new AbortController().signal,
    charge: () => undefined,
    ...others,
  });
  return JSON.parse(await batchRun.complete()) as Record<string, unknown>;
}

/** Wraps the store: `interfere` runs after each page is read, before it is written. */
function interfered(interfere: (page: readonly StoredPlant[]) => Promise<unknown>): Store {
  const list: Store['plants']['list'] = async (query) => {
    const page = await store.plants.list(query);
    await interfere(page.plants);
    return page;
  };
  return { ...store, plants: { ...store.plants, list } };
}

function countTagged(tag: string): Promise<number> {
  return store.plants.list({ tag, limit: 5_000 }).then(({ plants }) => plants.length);
}

const setTag = { action: 'setTag', plants: { tag: 'a' }, tag: 'b', group: 'g' } as const;

describe('BatchRun', () => {
  it('reads again what someone else has changed, and changes it if it still matches', async () => {
    let isFirst = true;
    const on = interfered(async () => {
      if (!isFirst) return;
      isFirst = false;
      await store.plants.patch(1n, { name: 'renamed' }, {});
      await store.plants.patch(2n, { tag: 'mine' }, {});
      await store.plants.delete(3n, {});
    });
    const { changed, unchanged, errors } = await run(setTag, { on });
    assert.deepEqual([changed, unchanged], [1_198, 0]);
    assert.deepEqual(
      (errors as { id: number; error: number }[]).map(({ id, error }) => [id, error]),
      [
        [2, 40905],
        [3, 40905],
      ],
    );
    assert.deepEqual(await store.plants.find(1n), { id: 1n, name: 'renamed', tag: 'b' });
    assert.deepEqual(await store.plants.find(2n), { id: 2n, name: 'plant 2', tag: 'mine' });
    assert.equal(await store.plants.find(3n), undefined);
  });

  it('reports a plant that changes each time it is read, and leaves it', async () => {
    let reads = 0;
    const on = interfered(() => store.plants.patch(1n, { name: `read ${++reads}` }, {}));
    const { changed, refused } = await run(setTag, { on });
    assert.deepEqual([changed, refused, await countTagged('a')], [1_199, 1, 1]);
  });

  it('is undone only once it has ended', async () => {
    const undo = { action: 'undo', undoes: 'g' } as const;
    let undoing: Promise<Record<string, unknown>> | undefined;
    const on = interfered(async (page) => {
      if (page[0]?.id === 500n) undoing = run(undo, { on });
      // An undo that does not wait would end within this read.
      if (undoing !== undefined) await countTagged('b');
    });
    await run(setTag, { on });
    assert.equal((await undoing)?.['changed'], 1_200);
    assert.equal(await countTagged('a'), 1_200);
  });

  it('has its group before its first change, too', { timeout: 20_000 }, async () => {
    const principal = { tokenId: 'other', limitKey: 'other' };
    const refused: Promise<void>[] = [];
    const on = interfered(async (page) => {
      if (page[0]?.id !== 0n) return;
      const undo = { action: 'undo', undoes: 'other', group: 'g' } as const;
      const others = [run({ ...setTag, tag: 'c' }, { on }), run(undo, { on }), run(setTag, { on, principal })];
      refused.push(...others.map((other) => assert.rejects(other, { code: 'group_taken', message: /still running/ })));
      await Promise.all(refused);
    });
    await run(setTag, { on });
    assert.deepEqual([refused.length, await countTagged('b')], [3, 1_200]);
  });

  it('has nothing to undo of a batch that it waited for, and says so: a reader has got its first report', async () => {
    const held = Promise.withResolvers<undefined>();
    const on = interfered(() => held.promise);
    const batch = run({ ...setTag, plants: { tag: 'none' } }, { on });
    const undoing = run({ action: 'undo', undoes: 'g' }, { on });
    held.resolve(undefined);
    assert.equal((await batch)['changed'], 0);
    const { read, done } = await undoing;
    assert.deepEqual([read, done], [0, true]);
    await assert.rejects(run({ action: 'undo', undoes: 'g' }, { on }), { code: 'group_unknown' });
  });

  it('counts what it cannot undo, also where its own changes take the place of others in the log', async () => {
    await opened.close();
    opened = await openInMemory(undefined, { recordsMax: 2_000, ageMsMax: 1e12 });
    ({ store } = opened);
    const plants = 4_000;
    for (let from = 0; from < plants; from += 500) {
      const rows = Array.from({ length: 500 }, (_, at) => ({ id: (BigInt(from + at) * 1_009n) % 4_001n, name: 'x' }));
      await store.plants.import(rows, { onConflict: 'fail', dryRun: false, group: 'import' });
    }
    await until(async () => (await store.changes.expiredIn('import')) > 0, 'changes are removed');
    const { changed, expired, done } = await run({ action: 'undo', undoes: 'import' });
    const left = await store.plants.count();
    assert.deepEqual([changed, done], [plants - left, true]);
    // A change that is removed between the two is counted, although it is undone.
    assert.ok(left > 0 && Number(expired) >= left, `${left} plants are left, ${String(expired)} are counted`);
  });

  it('goes on with an undo whose own changes have taken the place of what it undoes', async () => {
    await opened.close();
    opened = await openInMemory(undefined, { recordsMax: 5_000, ageMsMax: 1e12 });
    ({ store } = opened);
    for (let from = 0; from < 8_000; from += 500) {
      const rows = Array.from({ length: 500 }, (_, at) => ({ id: BigInt(from + at), name: 'x' }));
      await store.plants.import(rows, { onConflict: 'fail', dryRun: false, group: 'import' });
    }
    await store.plants.edit([{ id: 7_999n, to: { tag: 'x' } }], 'other', 'token');
    await until(async () => (await store.changes.expiredIn('import')) > 0, 'changes are removed');
    const undo = { action: 'undo', undoes: 'import', group: 'undo' } as const;
    assert.equal((await run(undo, { changedMax: 1_000 }))['done'], false);
    const [first] = await store.changes.ofGroup('undo', 1);
    const lost = first?.id ?? assert.fail('nothing is undone');
    await until(async () => !(await store.changes.changedIn('import', [lost])).has(lost), 'what is undone is removed');
    await assert.rejects(run({ ...undo, undoes: 'other' }), { code: 'group_taken' });
    const { done, refused } = await run(undo);
    assert.deepEqual([done, refused], [true, 1]);
    assert.ok((await store.changes.plantsIn('undo')) > 1_000);
  });

  it('reports the most that it has counted: of a group that is gone, nothing is', async () => {
    await run(setTag);
    const counted = [2, 5, 0];
    const expiredIn = (): Promise<number> => Promise.resolve(counted.shift() ?? 0);
    const on = { ...store, changes: { ...store.changes, expiredIn } };
    const { changed, expired } = await run({ action: 'undo', undoes: 'g' }, { on });
    assert.deepEqual([changed, expired], [1_200, 5]);
  });

  it('changes plants that follow where a part of a search finds none', async () => {
    const list: Store['plants']['list'] = async (query) =>
      query.after === undefined ? { plants: [], next: { ...query, after: -1n } } : store.plants.list(query);
    const on = { ...store, plants: { ...store.plants, list } };
    const { changed } = await run({ ...setTag, plants: { search: 'plant' } }, { on });
    assert.deepEqual([changed, await countTagged('a')], [1_200, 0]);
  });

  it('changes as many plants at once as the store wants', async () => {
    const sizes: number[] = [];
    const edit: Store['plants']['edit'] = (edits, ...rest) => {
      sizes.push(edits.length);
      return store.plants.edit(edits, ...rest);
    };
    const on = { ...store, plants: { ...store.plants, edit, bulkRows: () => 400 } };
    await run(setTag, { on });
    assert.deepEqual(sizes, [400, 100, 400, 100, 200]);
  });

  it('changes fewer at once where their texts are long', async () => {
    const plants = Array.from({ length: 400 }, (_, index) => ({
      id: 10_000n + BigInt(index),
      name: 'x'.repeat(1_000),
    }));
    await store.plants.import(plants, { onConflict: 'fail', dryRun: false });
    const writes: (readonly number[])[] = [];
    const edit: Store['plants']['edit'] = (edits, ...rest) => {
      writes.push(edits.map(({ from, to }) => textLengthOf(from ?? {}) + textLengthOf(to ?? {})));
      return store.plants.edit(edits, ...rest);
    };
    const on = { ...store, plants: { ...store.plants, edit, bulkRows: () => 400 } };
    await run({ ...setTag, plants: { search: 'xxx' } }, { on });
    const sum = (lengths: readonly number[]): number => lengths.reduce((all, each) => all + each, 0);
    assert.equal(writes.flat().length, 400);
    for (const lengths of writes) assert.ok(sum(lengths.slice(0, -1)) < 262_144, String(sum(lengths)));
    assert.ok(sum(writes[0] ?? []) >= 262_144, 'a write is not shorter than it must be');
  });

  it('changes a plant once, also if two requests of a group come at once', async () => {
    const [bothAsked, asked] = [Promise.withResolvers<undefined>(), new Set<unknown>()];
    const changedIn: Store['changes']['changedIn'] = async (group, ids) => {
      const done = await store.changes.changedIn(group, ids);
      if (asked.add(ids).size === 2) bothAsked.resolve(undefined);
      return done;
    };
    const edit: Store['plants']['edit'] = async (...edits) => {
      await bothAsked.promise;
      return store.plants.edit(...edits);
    };
    const on = { ...store, plants: { ...store.plants, edit }, changes: { ...store.changes, changedIn } };
    const both = [run(setTag, { on }), run({ ...setTag, plants: { all: true } }, { on })];
    assert.deepEqual(
      (await Promise.all(both)).map(({ changed, unchanged }) => [changed, unchanged]),
      [
        [1_200, 0],
        [0, 1_200],
      ],
    );
  });

  it('stops at the maximum between two slices, is not done then, and goes on when it is repeated', async () => {
    const changedMax = 600;
    assert.deepEqual(await run(setTag, { changedMax }), {
      ...{ group: 'g', done: false, read: 1_000, changed: 1_000, unchanged: 0, refused: 0, errors: [] },
    });
    const { done, changed } = await run(setTag, { changedMax });
    assert.deepEqual([done, changed, await countTagged('b')], [true, 200, 1_200]);
  });

  it('stops when the service shuts down or the token is revoked, and says how to go on', async () => {
    const stopping = new AbortController();
    const on = interfered(async ([first]) => {
      if (first?.id === 500n) stopping.abort();
    });
    await assert.rejects(run(setTag, { on, shutdown: stopping.signal }), {
      code: 'shutting_down',
      message: /\. 500 plants were changed; sending the batch again with the group g finishes it$/,
    });
    let checks = 0;
    await assert.rejects(run(setTag, { isAllowed: async () => ++checks === 1 }), {
      code: 'token_invalid',
      message: /\. No plant was changed$/,
    });
    assert.equal(await countTagged('b'), 500);
  });

  it('says what it did before an unexpected error, and not that a repetition would finish it', async () => {
    const list: Store['plants']['list'] = (query) =>
      query.after === 499n ? Promise.reject(new ServiceError('internal')) : store.plants.list(query);
    const on = { ...store, plants: { ...store.plants, list } };
    await assert.rejects(run(setTag, { on }), { code: 'internal', message: /\. 500 plants were changed$/ });
  });

  it('has its place until it ends, and half of the places for one token', async () => {
    const places = new Semaphore(4);
    const all = [run(setTag, { places }), run(setTag, { places })];
    await assert.rejects(run(setTag, { places }), { code: 'store_busy' });
    await Promise.all(all);
    await assert.rejects(run(setTag, { places, isAllowed: async () => false }));
    places.take('token');
    places.take('token');
  });

  it('is charged by its plants', async () => {
    const charged: number[] = [];
    await run(setTag, { charge: (bytes) => charged.push(bytes) });
    assert.deepEqual(charged, [32_000, 32_000, 12_800]);
  });
});
