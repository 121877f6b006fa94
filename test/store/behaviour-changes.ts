/** The promises of the change log, as one suite for every adapter. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import type { Change, ChangeQuery } from '../../src/domain/change-log.ts';
import { ServiceError } from '../../src/domain/errors.ts';
import { plantFields } from '../../src/domain/plant.ts';
import type { StoredPlant } from '../../src/domain/schemas.ts';
import type { Store } from '../../src/domain/store.ts';
import { PlantModel, type RandomWrite, randomWrite } from './plant-model.ts';
import { writeTogether } from './write-together.ts';
import type { OpenedStore, OpenStore } from './behaviour.ts';
import { until } from '../support/until.ts';

/** Set SEED to reproduce a failure. */
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

/** Declares the suite for one adapter. */
export function describeChanges(adapter: string, open: OpenStore): void {
  describe(`the change log on ${adapter} (SEED=${seed})`, () => {
    let opened: OpenedStore | undefined;
    let store: Store;
    const current = (): OpenedStore => opened ?? assert.fail('no store is open');
    beforeEach(async () => {
      opened = await open();
      ({ store } = opened);
    });
    afterEach(async () => {
      await opened?.close();
    });

    describe('its records', () => {
      it('has one record of each change: what it was, what it is, and who wrote it', async () => {
        const token = {
          id: 'abcdefghijkl',
          name: 'shop',
          hash: 'a'.repeat(64),
          scopes: ['plants:write' as const],
          createdAt: 0,
        };
        await store.tokens.insert(token);
        const before = Date.now() - 1;
        await store.plants.create({ id: 7n, name: 'a' }, token.id);
        await store.plants.put({ id: 7n, name: 'a', tag: '' }, {}, token.id);
        await store.plants.patch(7n, { name: 'b', tag: null }, {}, token.id);
        await store.plants.import(
          [
            { id: 7n, name: 'c' },
            { id: -(2n ** 63n), name: '🌱', tag: 'x' },
          ],
          { onConflict: 'replace', dryRun: false },
          token.id,
        );
        await store.plants.delete(7n, {}, token.id);
        await store.plants.put({ id: 7n, name: 'again' }, {});
        const changes = await readAll(store);
        const by = { token: token.id, name: 'shop' };
        // The order is kept for each plant; a store that divides them mixes the rows of an import.
        assert.deepEqual(changes.toSorted(byId).map(withoutTime), [
          { kind: 'created', id: -(2n ** 63n), plant: { id: -(2n ** 63n), name: '🌱', tag: 'x' }, by },
          { kind: 'created', id: 7n, plant: { id: 7n, name: 'a' }, by },
          { kind: 'replaced', id: 7n, plant: { id: 7n, name: 'a', tag: '' }, before: { id: 7n, name: 'a' }, by },
          { kind: 'replaced', id: 7n, plant: { id: 7n, name: 'b' }, before: { id: 7n, name: 'a', tag: '' }, by },
          { kind: 'replaced', id: 7n, plant: { id: 7n, name: 'c' }, before: { id: 7n, name: 'b' }, by },
          { kind: 'deleted', id: 7n, before: { id: 7n, name: 'c' }, by },
          { kind: 'created', id: 7n, plant: { id: 7n, name: 'again' } },
        ]);
        for (const { at } of changes) assert.ok(at >= before && at <= Date.now() + 1, `${before} <= ${at}`);
        assert.equal(new Set(changes.map(({ position }) => position)).size, changes.length);
      });

      it('has no record of replays, of refused writes and of dry runs', async () => {
        await store.plants.create({ id: 1n, name: 'a' });
        await store.plants.create({ id: 1n, name: 'a' });
        await assert.rejects(store.plants.create({ id: 1n, name: 'b' }));
        await store.plants.put({ id: 1n, name: 'a' }, {});
        await assert.rejects(store.plants.put({ id: 1n, name: 'b' }, { ifNoneMatch: '*' }));
        await store.plants.patch(1n, { name: 'a' }, {});
        await assert.rejects(store.plants.delete(1n, { ifMatch: ['other'] }));
        await assert.rejects(store.plants.delete(2n, {}));
        const rows = [1n, 2n].map((id) => ({ id, name: 'c' }));
        await store.plants.import(rows.slice(0, 1), { onConflict: 'skip', dryRun: false });
        await store.plants.import(rows.slice(0, 1), { onConflict: 'fail', dryRun: false });
        await store.plants.import(rows, { onConflict: 'replace', dryRun: true });
        assert.equal((await readAll(store)).length, 1);
      });

      it('begins empty', async () => {
        const { changes, next, hasMore } = await store.changes.read({ limit: 5 });
        assert.deepEqual([changes, hasMore], [[], false]);
        assert.equal(await store.changes.latest(), next);
        assert.deepEqual((await store.changes.read({ after: next, order: 'desc', limit: 5 })).changes, []);
      });

      it('has the history of a plant, newest first, also of a deleted one', async () => {
        const steps = [{ name: 'a' }, { name: 'b', tag: 't' }, { name: 'c' }];
        for (const step of steps) {
          await store.plants.put({ id: 1n, ...step }, {});
          await store.plants.put({ id: 2n, ...step }, {});
        }
        await store.plants.delete(1n, {});
        const deleted = await store.changes.history(1n, 10);
        assert.deepEqual(
          deleted.map(({ kind, before }) => [kind, before?.name]),
          [
            ['deleted', 'c'],
            ['replaced', 'b'],
            ['replaced', 'a'],
            ['created', undefined],
          ],
        );
        await store.plants.create({ id: 1n, name: 'again' });
        const history = await store.changes.history(1n, 10);
        assert.deepEqual(history.slice(1), deleted);
        assert.equal(history[0]?.plant?.name, 'again');
        const own = (await readAll(store)).filter(({ id }) => id === 1n);
        assert.deepEqual(history, own.toReversed());
        for (let index = 0; index < history.length; index++)
          assert.deepEqual(
            await store.changes.history(1n, 2, history[index]?.position),
            history.slice(index + 1, index + 3),
          );
        assert.deepEqual(await store.changes.history(3n, 10), []);
        for (const id of [2n, 3n])
          assert.deepEqual(
            await store.changes.history(id, 10, history[0].position),
            [],
            'the position is of another plant',
          );
        assert.deepEqual(await store.changes.history(2n, 2), (await store.changes.history(2n, 9)).slice(0, 2));
      });

      it('explains every state: changes of random writes, applied in order, give the plants', async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(fc.array(randomWrite, { maxLength: 10 }), { maxLength: 6 }), async (commits) => {
            const start = await store.changes.latest();
            const [model, counting] = [new PlantModel(store.plants), new PlantModel(store.plants)];
            for (const plant of (await store.plants.list({ limit: 100 })).plants)
              for (const each of [model, counting]) each.plants.set(plant.id, plant);
            const known = new Map(model.plants);
            let wanted = 0;
            for (const commit of commits) {
              for (const write of commit) wanted += countChanges(counting, write);
              await writeTogether(commit, model, store.plants);
            }
            const changes = await readAll(store, { after: start });
            assert.equal(changes.length, wanted);
            replay(known, changes);
            assert.deepEqual([...known.values()].sort(byId), model.list());
          }),
          { seed, numRuns: 40 },
        );
        assert.deepEqual(await current().findProblems(), []);
      });
    });

    describe('its pages', () => {
      it('is read in pages that join without a gap, in both orders', async () => {
        await store.plants.import(many(25), { onConflict: 'fail', dryRun: false });
        const all = await readAll(store);
        assert.deepEqual(new Set(all.map(({ id }) => id)), new Set(many(25).map(({ id }) => id)));
        assert.equal(all.length, 25);
        for (const limit of [1, 7, 24, 25, 26]) {
          assert.deepEqual(await readAll(store, { limit }), all, `pages of ${limit}`);
          assert.deepEqual(await readAll(store, { limit, order: 'desc' }), all.toReversed(), `${limit} downwards`);
        }
        const { changes, next, hasMore } = await store.changes.read({ after: all[24]?.position ?? '', limit: 5 });
        assert.deepEqual([changes, next, hasMore], [[], all[24]?.position, false]);
        assert.equal(await store.changes.latest(), next);
        await store.plants.create({ id: 100n, name: 'later' });
        const later = await store.changes.read({ after: next, limit: 5 });
        assert.deepEqual(
          later.changes.map(({ id }) => id),
          [100n],
        );
      });

      it('leaves out groups, and counts their plants', async () => {
        const group = (name: string) => ({ onConflict: 'replace', dryRun: false, group: name }) as const;
        await store.plants.import(many(3), group('one'));
        await store.plants.import(
          many(3).map((plant) => ({ ...plant, name: 'again' })),
          group('one'),
        );
        await store.plants.create({ id: 100n, name: 'alone' });
        await store.plants.import([{ id: -(2n ** 63n), name: 'last' }], group('other'));
        const ids = async (exceptGroups: readonly string[]): Promise<bigint[]> =>
          (await readAll(store, { exceptGroups, order: 'desc', limit: 2 })).map(({ id }) => id);
        assert.deepEqual(await ids(['one']), [-(2n ** 63n), 100n]);
        assert.deepEqual(await ids(['one', 'other', 'none']), [100n]);
        const counts = ['one', 'other', 'none'].map((name) => store.changes.plantsIn(name));
        assert.deepEqual(await Promise.all(counts), [3, 1, 0]);
      });

      it('is filtered by id, by a tag before or after, and by kind', async () => {
        await store.plants.create({ id: 1n, name: 'a', tag: 'x' });
        await store.plants.create({ id: 2n, name: 'a', tag: '' });
        await store.plants.put({ id: 1n, name: 'a', tag: 'y' }, {});
        await store.plants.delete(2n, {});
        const kinds = async (filter: Omit<ChangeQuery, 'limit'>): Promise<string[]> =>
          (await readAll(store, { ...filter, limit: 2 })).map(({ kind, id }) => `${kind} ${id}`);
        assert.deepEqual(await kinds({ ids: [1n] }), ['created 1', 'replaced 1']);
        assert.deepEqual(await kinds({ ids: [2n, 3n, 1n], kinds: ['created', 'deleted'] }), [
          'created 1',
          'created 2',
          'deleted 2',
        ]);
        assert.deepEqual(await kinds({ tag: 'x' }), ['created 1', 'replaced 1']);
        assert.deepEqual(await kinds({ tag: 'y' }), ['replaced 1']);
        assert.deepEqual(await kinds({ tag: '' }), ['created 2', 'deleted 2']);
        assert.deepEqual(await kinds({ kinds: ['deleted'] }), ['deleted 2']);
        assert.deepEqual(await kinds({ kinds: ['replaced', 'deleted'] }), ['replaced 1', 'deleted 2']);
        assert.deepEqual(await kinds({ kinds: ['created'], ids: [2n], tag: '' }), ['created 2']);
        assert.deepEqual(await kinds({ order: 'desc', kinds: ['created'] }), ['created 2', 'created 1']);
      });

      it('examines a bounded number of changes for a page, and says that there are more', async () => {
        for (let first = 1; first <= 12_000; first += 1_000)
          await store.plants.import(many(1_000, first), { onConflict: 'fail', dryRun: false });
        await store.plants.delete(5n, {});
        const first = await store.changes.read({ kinds: ['deleted'], limit: 10 });
        assert.deepEqual([first.changes, first.hasMore], [[], true]);
        assert.equal((await readAll(store, { kinds: ['deleted'], limit: 10 })).length, 1);
        assert.equal((await readAll(store, { ids: [1n], order: 'desc', limit: 10 })).length, 1);
        const { changes, hasMore } = await store.changes.read({
          ids: [5n, 1n],
          newest: true,
          order: 'desc',
          limit: 10,
        });
        assert.deepEqual([changes.map(({ id }) => id), hasMore], [[5n, 1n], false], 'the newest are looked up');
      });

      it('refuses positions of other stores, and of the future', async () => {
        await store.plants.create({ id: 1n, name: 'a' });
        const latest = await store.changes.latest();
        const [identity] = latest.split('-');
        const other = identity === '00000000' ? '11111111' : '00000000';
        for (const after of [`${other}-1`, `${identity}-2`, `${identity}-999999999999999999`, `${identity}-`, 'x', ''])
          for (const read of [
            () => store.changes.read({ after, limit: 1 }),
            () => store.changes.oldestAfter(after),
            () => store.changes.lagOf(after),
          ])
            await assert.rejects(read, { code: 'position_unknown' }, after);
        await store.changes.read({ after: `${identity}-0`, limit: 1 });
        await assert.rejects(store.changes.history(1n, 1, `${other}-1`), { code: 'position_unknown' });
        await assert.rejects(store.changes.history(1n, 1, `${identity}-2`), { code: 'position_unknown' });
      });

      it('skips, doubles and reorders nothing for readers beside writers', async () => {
        const ids = Array.from({ length: 20 }, (_, index) => BigInt(index));
        let writers = 8;
        const readers = Array.from({ length: 3 }, () => follow(store, () => writers === 0));
        await Promise.all(
          Array.from({ length: writers }, async (_, writer) => {
            for (let round = 0; round < 60; round++) {
              const id = ids[(writer * 7 + round * 3) % ids.length] ?? 0n;
              const plant = { id, name: `${writer}/${round}` };
              if (round % 5 === 4) await store.plants.delete(id, {}).catch(() => undefined);
              else await store.plants.put(plant, {});
            }
            writers -= 1;
          }),
        );
        const all = await readAll(store);
        for (const reader of readers) assert.deepEqual(await reader, all);
        const known = new Map<bigint, StoredPlant>();
        replay(known, all);
        assert.deepEqual([...known.values()].sort(byId), (await store.plants.list({ limit: 100 })).plants);
      });
    });

    describe('groups and newest changes', () => {
      it('has the group of a batch, its changes by id, and the newest change of each plant', async () => {
        const tagged = (id: bigint): StoredPlant => ({ id, name: 'a', tag: 'x' });
        await store.plants.import([1n, 2n, 3n, 2n ** 63n - 1n].map(tagged), { onConflict: 'fail', dryRun: false });
        const all = [-1n, 1n, 2n, 3n, 2n ** 63n - 1n];
        await store.plants.edit(
          [
            { id: 2n ** 63n - 1n, to: null },
            { id: 2n, from: tagged(2n), to: { tag: null } },
            { id: 1n, from: { id: 1n, name: 'a' }, to: { tag: 'y' } },
            { id: -1n, from: null, to: { name: 'new' } },
          ],
          'one',
        );
        await store.plants.edit([{ id: 3n, to: { tag: '' } }], 'other');
        await store.plants.put({ id: 2n, name: 'later' }, {});
        const toShown = (changes: readonly Change[]): unknown[] =>
          changes.map(({ kind, id, group }) => [kind, id, group]).sort();
        const ofOne = await store.changes.ofGroup('one', 10);
        assert.deepEqual(ofOne.map(withoutTime), [
          { kind: 'created', id: -1n, plant: { id: -1n, name: 'new' }, group: 'one' },
          { kind: 'replaced', id: 2n, plant: { id: 2n, name: 'a' }, before: tagged(2n), group: 'one' },
          { kind: 'deleted', id: 2n ** 63n - 1n, before: tagged(2n ** 63n - 1n), group: 'one' },
        ]);
        assert.deepEqual(await store.changes.ofGroup('one', 1, -1n), ofOne.slice(1, 2));
        assert.deepEqual(await store.changes.ofGroup('one', 9, 2n ** 63n - 1n), []);
        assert.deepEqual(await store.changes.ofGroup('on', 9), []);
        assert.deepEqual(await store.changes.changedIn('one', all), new Set([-1n, 2n, 2n ** 63n - 1n]));
        assert.deepEqual(toShown(await store.changes.newest([...all, 99n])), [
          ['created', -1n, 'one'],
          ['created', 1n, undefined],
          ['deleted', 2n ** 63n - 1n, 'one'],
          ['replaced', 2n, undefined],
          ['replaced', 3n, 'other'],
        ]);
        assert.equal((await readAll(store)).filter(({ group }) => group === 'one').length, 3);
        assert.deepEqual(await current().findProblems(), []);
      });

      it('has the newest changes of some plants, in either order, in pages, by tag and kind', async () => {
        const most = 2n ** 63n - 1n;
        await store.plants.create({ id: most, name: 'a', tag: 'x' });
        await store.plants.create({ id: 1n, name: 'a' });
        await store.plants.create({ id: 2n, name: 'a' });
        await store.plants.create({ id: 3n, name: 'a' });
        await store.plants.put({ id: 1n, name: 'b' }, {});
        await store.plants.delete(2n, {});
        const all = await readAll(store);
        const [first, , , , replaced, deleted] = all;
        const ids = [2n, most, 99n, 1n];
        for (const limit of [1, 10]) {
          const read = (page: Partial<ChangeQuery>): Promise<unknown> =>
            readAll(store, { ids, newest: true, limit, ...page });
          assert.deepEqual(await read({}), [first, replaced, deleted]);
          assert.deepEqual(await read({ order: 'desc' }), [deleted, replaced, first]);
          assert.deepEqual(await read({ after: first?.position }), [replaced, deleted]);
          assert.deepEqual(await read({ order: 'desc', after: deleted?.position }), [replaced, first]);
          assert.deepEqual(await read({ tag: 'x' }), [first]);
          assert.deepEqual(await read({ kinds: ['created'] }), [first]);
          assert.deepEqual(await read({ ids: [99n] }), []);
        }
        const { next } = await store.changes.read({ ids, newest: true, limit: 10 });
        assert.equal(next, await store.changes.latest());
        await assert.rejects(store.changes.read({ ids, newest: true, after: 'x', limit: 1 }), {
          code: 'position_unknown',
        });
      });
    });

    describe('its followers', () => {
      it('survives a restart', async () => {
        await store.plants.create({ id: 1n, name: 'a' });
        await store.plants.delete(1n, {});
        const all = await readAll(store);
        store = await current().reopen();
        assert.deepEqual(await readAll(store), all);
        await store.plants.create({ id: 1n, name: 'b' });
        assert.equal((await store.changes.history(1n, 5)).length, 3);
        assert.deepEqual(await current().findProblems(), []);
      });

      it('tells a subscriber of commits, until it ends', async () => {
        let calls = 0;
        const { promise, resolve } = Promise.withResolvers<undefined>();
        const end = store.changes.subscribe(() => {
          calls += 1;
          resolve(undefined);
        });
        await store.plants.create({ id: 1n, name: 'a' });
        await promise;
        end();
        const told = calls;
        await store.plants.create({ id: 2n, name: 'a' });
        assert.equal(calls, told);
      });
    });
  });

  describe(`a bounded change log on ${adapter}`, () => {
    it('forgets the oldest changes, and says so to a reader behind them', async () => {
      const opened = await open(undefined, { recordsMax: 3_000, ageMsMax: 1_000_000_000 });
      try {
        const { store } = opened;
        await store.plants.create({ id: 0n, name: 'a' });
        await store.plants.delete(0n, {});
        const [first] = (await store.changes.read({ limit: 1 })).changes;
        for (let from = 1; from <= 9_000; from += 500)
          await store.plants.import(many(500, from), { onConflict: 'fail', dryRun: false });
        await until(async () => (await countAll(store)) <= 4_000, 'the oldest are removed');
        const all = await readAll(store);
        assert.ok(all.length >= 3_000, `${all.length} changes are kept`);
        // The order is kept for each plant; a store that divides them mixes the rows of an import.
        assert.ok((all.at(-1)?.id ?? 0n) > 8_500n, 'the newest change is that of the last import');
        const after = first?.position ?? '';
        await assert.rejects(store.changes.read({ after, limit: 1 }), { code: 'position_unknown' });
        await until(async () => {
          const oldest = await store.changes.oldestAfter(after);
          const [next] = (await store.changes.read({ after: oldest, limit: 1 }).catch(() => undefined))?.changes ?? [];
          return next !== undefined && next.position === (await store.changes.read({ limit: 1 })).changes[0]?.position;
        }, 'the oldest is the first');
        const latest = await store.changes.latest();
        assert.equal(await store.changes.oldestAfter(latest), latest);
        assert.deepEqual(await store.changes.lagOf(latest), { changes: 0 });
        // Only those that are kept count.
        await until(async () => {
          const lag = await store.changes.lagOf(after);
          const kept = await readAll(store);
          return lag.changes === kept.length && lag.since === kept[0]?.at;
        }, 'the lag is what is kept');
        assert.deepEqual(await store.changes.history(0n, 5), []);
        assert.deepEqual(await store.changes.history(0n, 5, after), [], 'the older changes of a page may be gone');
        const { changes: older, hasMore } = await store.changes.read({ after, order: 'desc', limit: 5 });
        assert.deepEqual([older, hasMore], [[], false]);
        assert.deepEqual(await store.changes.history(1n, 5), []);
        await store.plants.delete(1n, {});
        assert.equal((await store.changes.history(1n, 5)).length, 1);
        // The last changes may still be removed between the two.
        await until(
          async () => (await readAll(store, { order: 'desc', limit: 999 })).length === (await readAll(store)).length,
          'both orders have as many',
        );
        assert.deepEqual(await opened.findProblems(), []);
        assert.equal(await store.plants.count(), 8_999);
      } finally {
        await opened.close();
      }
    });
  });
}

function many(count: number, first = 1): StoredPlant[] {
  return Array.from({ length: count }, (_, index) => ({ id: BigInt(first + index), name: `plant ${first + index}` }));
}

function byId({ id: one }: { readonly id: bigint }, { id: other }: { readonly id: bigint }): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function withoutTime({ position: _, at: __, ...others }: Change): Partial<Change> {
  return others;
}

/** Reads all pages. */
export async function readAll(store: Store, page: Partial<ChangeQuery> = {}): Promise<Change[]> {
  const all: Change[] = [];
  for (let after = page.after; ;) {
    const found = await store.changes.read({
      limit: 1_000,
      ...page,
      ...(after === undefined ? {} : { after }),
    });
    all.push(...found.changes);
    if (!found.hasMore) return all;
    assert.notEqual(found.next, after, 'a page that has more goes on');
    after = found.next;
  }
}

/** Counts all changes; Infinity if some are removed meanwhile. */
function countAll(store: Store): Promise<number> {
  return readAll(store).then(
    ({ length }) => length,
    (error: unknown) => {
      assert.ok(error instanceof ServiceError && error.code === 'position_unknown', String(error));
      return Infinity;
    },
  );
}

/** Follows the log from its beginning; resolves to all changes once `isDone` and nothing is left. */
export async function follow(store: Store, isDone: () => boolean): Promise<Change[]> {
  const all: Change[] = [];
  for (let after: string | undefined; ;) {
    // Read first: what is committed before it returns true is in the page.
    const wasDone = isDone();
    const page = await store.changes.read({ limit: 50, ...(after === undefined ? {} : { after }) });
    all.push(...page.changes);
    after = page.next;
    if (wasDone && page.changes.length === 0 && !page.hasMore) return all;
    // A read may resolve without waiting for anything: let the writers go on.
    await setImmediate();
  }
}

/** Applies changes in order; each must fit the state before it. */
export function replay(known: Map<bigint, StoredPlant>, changes: readonly Change[]): void {
  for (const { id, kind, plant, before } of changes) {
    assert.deepEqual(known.get(id), before);
    assert.equal(kind, before === undefined ? 'created' : plant === undefined ? 'deleted' : 'replaced');
    assert.ok(plant !== undefined || before !== undefined);
    if (plant === undefined) known.delete(id);
    else known.set(id, plant);
  }
}

/** Applies the write to the model; returns how many changes it makes. */
function countChanges(model: PlantModel, write: RandomWrite): number {
  if (write.kind === 'import') {
    const outcomes = model.apply(write);
    assert.ok(Array.isArray(outcomes));
    if (write.rules.dryRun) return 0;
    return outcomes.filter((outcome) => outcome === 'created' || outcome === 'replaced').length;
  }
  if (write.kind === 'edit') {
    const outcomes = model.apply(write);
    assert.ok(Array.isArray(outcomes));
    return outcomes.filter((outcome) => outcome === 'changed').length;
  }
  const id = 'plant' in write ? write.plant.id : write.id;
  const before = model.plants.get(id);
  model.apply(write);
  const after = model.plants.get(id);
  return plantFields.every((field) => before?.[field] === after?.[field]) ? 0 : 1;
}
