/** Runs the port's suite on the store in memory. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openMemoryStore } from '../../src/store/sqlite/open-memory-store.ts';
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
    assert.equal((await store.plants.list({ limit: 1_000 })).length, await store.plants.count());
    assert.deepEqual(await findProblemsOf(store.toImage()), []);
    await store.close();
  });
});
