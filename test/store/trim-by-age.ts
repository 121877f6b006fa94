/** Which changes and deliveries are too old, for every adapter: only time that both clocks confirm makes them so. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Store } from '../../src/domain/store.ts';
import { deliveryAgeMsMax } from '../../src/domain/webhooks.ts';
import type { TrimOptions } from '../../src/store/change-trimmer.ts';
import { toDelivery, webhook } from './behaviour-webhooks.ts';

/** A store whose trims a test runs itself. */
export interface AgedStore {
  readonly store: Store;
  /** Moves the time of the last trim into the past, by the wall clock. */
  pass(wallMs: number): Promise<void>;
  trim(options: TrimOptions): Promise<void>;
  /** Writes a time into all changes. */
  setTimes(at: number): Promise<void>;
  /** The names of all groups that are stored. */
  groups(): Promise<readonly string[]>;
}

const hour = 3_600_000;
const years = 365 * 24;
const { id } = webhook.settings;

export function describeAges(adapter: string, open: (t: TestContext) => Promise<AgedStore>): void {
  describe(`ages on ${adapter}`, () => {
    /** @param steps hours that pass by a monotonic clock, and by the wall clock. */
    const pass = async (
      aged: AgedStore,
      ageMsMax: number,
      steps: readonly (readonly [number, number])[],
    ): Promise<void> => {
      for (const [elapsed, wall] of steps) {
        await aged.pass(wall * hour);
        await aged.trim({ recordsMax: 100, ageMsMax, elapsedMs: elapsed * hour });
      }
    };

    it('tokens go when no change of theirs can be left, but never the first, a user, or one that can be used', async (t) => {
      const aged = await open(t);
      const { tokens, plants, changes } = aged.store;
      const now = Date.now();
      const insert = async (name: string, times: { readonly revokedAt?: number; readonly expiresAt?: number }) =>
        tokens.insert({ id: name, name, hash: name, scopes: ['plants:read'], createdAt: now, ...times });
      await insert('first', { revokedAt: 1 });
      await insert('revoked', { revokedAt: 1 });
      await insert('expired', { expiresAt: now - 1 });
      await insert('lasting', {});
      await insert('jwt:1', { revokedAt: 1 });
      await insert('long', { expiresAt: now + 1_000 * hour });
      await plants.create({ id: 1n, name: 'fern' }, 'revoked');
      await changes.latest();
      const names = async (): Promise<string[]> => (await tokens.list()).map(({ name }) => name).sort();
      const all = await names();
      // Noted, then beside changes of the same age.
      await pass(aged, 2 * hour, [[0.5, 0.5]]);
      await pass(aged, 2 * hour, [[1.9, 1.9]]);
      const [change] = (await changes.read({ limit: 10 })).changes;
      assert.deepEqual([await names(), change?.by?.name], [all, 'revoked']);
      await pass(aged, 2 * hour, [[1, 50 * years]]);
      await pass(aged, 2 * hour, [[2.5, 2.5]]);
      assert.deepEqual((await changes.read({ limit: 10 })).changes, []);
      assert.deepEqual(await names(), ['first', 'jwt:1', 'lasting', 'long']);
    });

    for (const { about, steps, kept } of [
      { about: 'changes go when both clocks say that they are too old', steps: [[3, 3]], kept: 1 },
      { about: 'short times add up', steps: Array.from({ length: 30 }, () => [0.1, 0.1] as const), kept: 0 },
      { about: 'changes that are young enough stay', steps: [[1.9, 1.9]], kept: 3 },
      { about: 'a clock that is set years ahead removes nothing', steps: [[0.1, 13 * years]], kept: 3 },
      {
        about: 'a clock that is set ahead and back again removes nothing',
        steps: [...[13, -13, 56, -56].map((each) => [0.1, each * years] as const)],
        kept: 3,
      },
      {
        about: 'time of a computer that sleeps, or a service that is stopped, does not count',
        steps: [[0, 30]],
        kept: 3,
      },
      { about: 'a clock that stands still removes nothing', steps: [[30, 0]], kept: 3 },
    ] as const)
      it(about, async (t) => {
        const aged = await open(t);
        const { plants, changes } = aged.store;
        for (const plant of [1n, 2n]) await plants.create({ id: plant, name: 'fern' });
        await changes.latest();
        // Set the times of changes to 1970: they do not matter.
        await aged.setTimes(1);
        await pass(aged, 2 * hour, [[0, 0]]);
        await plants.create({ id: 3n, name: 'fern' });
        await changes.latest();
        await pass(aged, 2 * hour, steps);
        assert.equal((await changes.read({ limit: 9 })).changes.length, kept);
      });

    it('counts the changes of a group that are gone while their plants are as it left them, and forgets it with its last one', async (t) => {
      const aged = await open(t);
      const { plants, changes } = aged.store;
      const write = async (group: string, ...ids: readonly bigint[]): Promise<void> => {
        for (const id of ids) await plants.edit([{ id, from: null, to: { name: group } }], group);
      };
      /** Removes all but the newest changes. */
      const keep = async (recordsMax: number): Promise<readonly number[]> => {
        await changes.latest();
        await aged.trim({ recordsMax, ageMsMax: 1e12, elapsedMs: 0 });
        return Promise.all(['one', 'other', 'none'].map((group) => changes.expiredIn(group)));
      };
      await write('other', 10n);
      await write('one', 7n);
      await plants.edit([{ id: 7n, to: { tag: 'again' } }], 'one');
      await write('one', 1n, 2n, 3n, 4n);
      await write('other', 11n);
      await plants.put({ id: 2n, name: 'later' }, {});
      await plants.edit([{ id: 3n, to: null }], 'undo');
      await plants.edit([{ id: 4n, to: null }], 'one');
      assert.deepEqual(await keep(11), [0, 0, 0]);
      assert.deepEqual(await aged.groups(), ['one', 'other', 'undo']);
      assert.deepEqual(await keep(9), [1, 1, 0], 'of a plant that was changed twice, the first change');
      assert.deepEqual(await keep(5), [3, 1, 0], 'not of the plants that others have changed');
      assert.deepEqual(await keep(3), [4, 0, 0], 'not of a group of which nothing is kept');
      assert.deepEqual(await aged.groups(), ['one', 'undo']);
      assert.deepEqual(await keep(0), [0, 0, 0]);
      assert.deepEqual(await aged.groups(), []);
      await plants.edit([{ id: 1n, to: { name: 'again' } }], 'one');
      assert.equal((await changes.ofGroup('one', 9)).length, 1);
    });

    it('deliveries that are too old go with the next ones, but the one that waits', async (t) => {
      const aged = await open(t);
      const { webhooks } = aged.store;
      await webhooks.insert(webhook);
      let step = 1;
      const save = async (number: number): Promise<readonly number[]> => {
        const delivery = toDelivery(number, { lastAttemptAt: 1 });
        await webhooks.saveProgress(
          id,
          { ...webhook.progress, deliveries: 9, waiting: 'msg_1', step: step++ },
          delivery,
        );
        return (await webhooks.listDeliveries(id, 10)).map((each) => each.number);
      };
      for (const number of [1, 2, 3]) await save(number);
      await pass(aged, 1e12, [[1, 13 * years]]);
      assert.deepEqual(await save(4), [4, 3, 2, 1]);
      await pass(aged, 1e12, [[deliveryAgeMsMax / hour, 1e9]]);
      // A delivery that is tried again is young.
      assert.deepEqual(await save(3), [4, 3, 1]);
      assert.deepEqual(await save(5), [5, 4, 3, 1]);
    });
  });
}
