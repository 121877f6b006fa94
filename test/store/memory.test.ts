/** Runs the port's suite on the store in memory. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ChangeLimits } from '../../src/domain/change-log.ts';
import type { QueueLimits } from '../../src/store/group-commit.ts';
import { openMemoryStore } from '../../src/store/sqlite/open-memory-store.ts';
import { checkDatabase } from '../../src/store/sqlite/maintenance/check.ts';
import { describeChanges } from './behaviour-changes.ts';
import { describePlants } from './behaviour-plants.ts';
import { describeStore, type OpenedStore } from './behaviour.ts';
import { describeWebhooks } from './behaviour-webhooks.ts';

describeStore('SQLite in memory', open);
describePlants('SQLite in memory', open);
describeChanges('SQLite in memory', open);
describeWebhooks('SQLite in memory', open);

const roomyLimits: QueueLimits = { writesMax: 10_000, bytesMax: 64 * 1024 * 1024 };

function open(limits: QueueLimits = roomyLimits, changeLimits?: ChangeLimits): Promise<OpenedStore> {
  const options = { limits, changeLimits };
  let store = openMemoryStore(options);
  return Promise.resolve({
    store,
    reopen: async () => {
      await store.close();
      store = openMemoryStore({ ...options, image: store.toImage() });
      return store;
    },
    findProblems: () => findProblems(store.toImage()),
    close: () => store.close(),
  });
}

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
    assert.deepEqual(await findProblems(store.toImage()), []);
    await store.close();
  });
});

/** Checks an image as the file that it would be. */
async function findProblems(image: Uint8Array): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-'));
  try {
    await writeFile(join(folder, 'plants.db'), image);
    return checkDatabase(join(folder, 'plants.db')).problems;
  } finally {
    await rm(folder, { recursive: true });
  }
}
