/** Runs the port's suite on the store in memory. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { guardReads } from '../../src/store/sqlite/guard-reads.ts';
import { openMemoryStore } from '../../src/store/sqlite/open-memory-store.ts';
import type { StoreObserver } from '../../src/store/store-observer.ts';
import { describeChanges } from './behaviour-changes.ts';
import { describePlants } from './behaviour-plants.ts';
import { describeStore } from './behaviour.ts';
import { describeWebhooks } from './behaviour-webhooks.ts';
import { findProblemsOf, openInMemory, roomyLimits } from './open-temporary-store.ts';

describeStore('SQLite in memory', openInMemory);
describePlants('SQLite in memory', openInMemory);
describeChanges('SQLite in memory', openInMemory);
describeWebhooks('SQLite in memory', openInMemory);

describe('openMemoryStore()', () => {
  it('refuses writes beyond its size, and then reads, deletes and stores again', async () => {
    const store = openMemoryStore({ limits: roomyLimits, bytesMax: 300_000 });
    const create = (id: bigint): Promise<unknown> => store.plants.create({ id, name: 'x'.repeat(1_000) });
    let last = 0n;
    const fill = async (): Promise<void> => {
      for (; last < 1_000n; last += 1n) await create(last);
    };
    await assert.rejects(fill(), { code: 'store_full' });
    assert.ok(store.toImage().length <= 300_000);
    assert.equal(await store.plants.count(), Number(last));
    for (let id = 0n; id < 20n; id += 1n) await store.plants.delete(id, {}).catch(() => undefined);
    assert.equal((await store.plants.list({ limit: 1_000 })).plants.length, await store.plants.count());
    assert.deepEqual(await findProblemsOf(store.toImage()), []);
    await store.close();
  });

  it('reports to its observer what became of commits, and each write that the queue or its owner refuses', async () => {
    const reports: unknown[] = [];
    const observer: StoreObserver = {
      onCommit: ({ writes, failure }) => reports.push([writes, failure?.code]),
      onRefused: ({ code }) => reports.push(code),
      onLogFull: () => assert.fail('there is no log'),
      onRead: () => assert.fail('no read fails'),
    };
    const store = openMemoryStore({ limits: { ...roomyLimits, writesMax: 1 }, bytesMax: 300_000, observer });
    const first = store.plants.create({ id: 1n, name: 'fern' });
    await assert.rejects(store.plants.create({ id: 2n, name: 'fern' }), { code: 'store_busy' });
    assert.ok(store.isBusy());
    assert.throws(() => store.requireWritable(), { code: 'store_busy' });
    await first;
    assert.ok(!store.isBusy());
    const rows = Array.from({ length: 400 }, (_, id) => ({ id: BigInt(id), name: 'x'.repeat(1_000) }));
    await assert.rejects(store.plants.import(rows, { onConflict: 'skip', dryRun: false }), { code: 'store_full' });
    assert.deepEqual(reports, ['store_busy', 'store_busy', [1, undefined], [1, 'store_full']]);
    await store.close();
  });
});

describe('guardReads()', () => {
  it('reports reads that fail, and the first one that succeeds after that', async () => {
    const reports: unknown[] = [];
    const ignore = (): void => undefined;
    const { read } = guardReads({
      onCommit: ignore,
      onRefused: ignore,
      onLogFull: ignore,
      onRead: (each) => reports.push(each),
    });
    const fail = (errcode: number): Promise<never> =>
      read(() => {
        throw Object.assign(new Error('made by a test'), { errcode });
      });
    await read(() => 1);
    await assert.rejects(fail(266), { code: 'store_unavailable' });
    await assert.rejects(fail(5), { code: 'store_busy' });
    for (let times = 0; times < 2; times += 1) await read(() => 1);
    assert.deepEqual(reports, [{ code: 'store_unavailable', reason: 'made by a test' }, undefined]);
  });
});
