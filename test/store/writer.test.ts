/** The SQLite adapter when the writer thread, its disk or its commit fails. HTTP responses are tested in test/faults/. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Store } from '../../src/domain/store.ts';
import type { Fault } from '../crash/fault.ts';
import { cleanUp, makeFolder } from '../support/clean-up.ts';
import { openFaultyStore } from './open-temporary-store.ts';

const limits = { writesMax: 10_000, bytesMax: 64 * 1024 * 1024 };

/** SQLite result codes (sqlite.org/rescode.html). */
const [full, busy, corrupt, ioerrWrite, ioerrFsync] = [13, 5, 11, 778, 1034];
const [outOfMemory, cantOpen, constraint] = [7, 14, 19];

/** Opens a store with the fault; closed and removed when the test ends. */
async function openWith(t: TestContext, fault: Fault): Promise<Store> {
  const store = await openFaultyStore(await makeFolder(t), fault, limits);
  cleanUp(t, () => store.close());
  return store;
}

/** Sends `count` creates at once. Returns the number of each outcome: `created`, or an error code. */
async function createMany(store: Store, first: number, count: number): Promise<Map<unknown, number>> {
  const outcomes = await Promise.allSettled(
    Array.from({ length: count }, (_, index) => store.plants.create({ id: BigInt(first + index), name: 'fern' })),
  );
  const counts = new Map<unknown, number>();
  for (const outcome of outcomes) {
    const key = outcome.status === 'fulfilled' ? outcome.value : (outcome.reason as { code?: unknown }).code;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

const counted = (outcome: string, count: number): Map<unknown, number> => new Map([[outcome, count]]);

describe('a commit that fails permanently', () => {
  for (const [what, errcode] of [
    ['an I/O error of fsync', ioerrFsync],
    ['a corrupt database', corrupt],
  ] as const) {
    it(`by ${what} confirms nothing, is reported once, and refuses later writes`, async (t) => {
      const store = await openWith(t, { kind: 'fail-commit', errcode, nth: 2, times: 1 });
      assert.deepEqual(await createMany(store, 1, 10), counted('created', 10));
      assert.deepEqual(await createMany(store, 100, 10), counted('store_failed', 10));
      const reason = await store.failed;
      assert.match(reason.message, new RegExp(`result code ${errcode}`));
      assert.deepEqual(await createMany(store, 200, 10), counted('store_failed', 10), 'never tried again in place');
      assert.equal(await store.plants.count(), 10);
    });
  }

  for (const [what, fault, message] of [
    ['cannot be synced', { kind: 'fail-sync' }, /the file cannot be synced/],
    ['SQLite cannot sync', { kind: 'fail-checkpoint', errcode: ioerrFsync }, /result code 1034/],
  ] as const) {
    it(`by a copy of the log that ${what} is reported, and refuses later writes`, async (t) => {
      const store = await openWith(t, fault);
      // Enough rows to start a checkpoint.
      const rows = Array.from({ length: 5_000 }, (_, id) => ({ id: BigInt(id), name: 'fern' }));
      await store.plants.import(rows, { onConflict: 'fail', dryRun: false });
      const deadline = performance.now() + 60_000;
      let outcome: unknown = 'created';
      for (let id = 5_000; outcome === 'created' && performance.now() < deadline; id += 1)
        [outcome] = [...(await createMany(store, id, 1)).keys()];
      assert.equal(outcome, 'store_failed');
      assert.match((await store.failed).message, message);
    });
  }

  it('rejects the waiting commits too', async (t) => {
    const store = await openWith(t, { kind: 'fail-commit', errcode: ioerrFsync, nth: 1, times: 1 });
    assert.deepEqual(await createMany(store, 1, 2000), counted('store_failed', 2000));
    assert.equal(store.isBusy(), false);
  });
});

describe('a writer thread that dies', () => {
  it('rejects all calls, and reports the failure', { timeout: 120_000 }, async (t) => {
    const store = await openWith(t, { kind: 'end-thread', nth: 2 });
    assert.deepEqual(await createMany(store, 1, 10), counted('created', 10));
    assert.deepEqual(await createMany(store, 100, 2000), counted('store_failed', 2000));
    assert.match((await store.failed).message, /ended/);
    assert.deepEqual(await createMany(store, 200, 1), counted('store_failed', 1));
    await assert.rejects(
      store.tokens.touch('token0000001', 0),
      { code: 'store_failed' },
      'whatever the kind of the write',
    );
    assert.equal(await store.plants.count(), 10, 'reading goes on');
  });
});

describe('a commit that fails temporarily', () => {
  for (const [code, errcode] of [
    ['store_full', full],
    ['store_full', ioerrWrite],
    ['store_busy', busy],
    ['store_unavailable', cantOpen],
    ['store_unavailable', outOfMemory],
  ] as const) {
    it(`with result code ${errcode} refuses its writes with ${code}, stores none of them, and recovers`, async (t) => {
      const store = await openWith(t, { kind: 'fail-commit', errcode, nth: 2, times: 3 });
      assert.deepEqual(await createMany(store, 1, 10), counted('created', 10));
      for (let round = 1; round <= 3; round += 1) {
        assert.deepEqual(await createMany(store, 100, 10), counted(code, 10));
        assert.equal(await store.plants.count(), 10);
      }
      assert.deepEqual(await createMany(store, 100, 10), counted('created', 10));
      assert.equal(await store.plants.count(), 20);
    });
  }
});

describe('a write that triggers a bug', () => {
  it('is refused alone with internal; the rest of its commit is stored, and the store continues', async (t) => {
    // The commit of all fails, then those of its first two writes alone.
    const store = await openWith(t, { kind: 'fail-commit', errcode: constraint, nth: 2, times: 3 });
    assert.deepEqual(await createMany(store, 1, 10), counted('created', 10));
    assert.deepEqual(
      await createMany(store, 100, 10),
      new Map<unknown, number>([
        ['internal', 2],
        ['created', 8],
      ]),
    );
    assert.equal(await store.plants.count(), 18);
    assert.equal(await store.plants.find(100n), undefined);
    assert.deepEqual(
      await createMany(store, 100, 10),
      new Map<unknown, number>([
        ['created', 2],
        ['replayed', 8],
      ]),
    );
  });
});

describe('a slow disk', () => {
  it("delays the answers and loses none; refuses writes beyond the queue's limits", { timeout: 120_000 }, async (t) => {
    const fault = { kind: 'slow-commit', ms: 500 } as const;
    const store = await openFaultyStore(await makeFolder(t), fault, { writesMax: 100, bytesMax: 1_000_000 });
    cleanUp(t, () => store.close());
    const outcomes = await createMany(store, 1, 150);
    assert.deepEqual(
      outcomes,
      new Map([
        ['created', 100],
        ['store_busy', 50],
      ]),
    );
    assert.equal(await store.plants.count(), 100);
  });
});
