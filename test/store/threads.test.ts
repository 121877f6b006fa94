/** Threads of the SQLite adapter: answers match requests, failed reads leave nothing open. */
import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { Thread } from '../../src/store/sqlite/threads/thread.ts';
import { toPlants } from '../../src/store/sqlite/threads/plant-columns.ts';
import type { FromReader, ReaderData, ToReader } from '../../src/store/sqlite/threads/reader-thread.ts';
import { cleanUp, makeFolder } from '../support/clean-up.ts';

async function makeStore(
  t: TestContext,
): Promise<{ path: string; thread: Thread<unknown, FromReader>; abortCount: Int32Array }> {
  const folder = await makeFolder(t);
  const store = await openStore({ folder }, { limits: { writesMax: 100, bytesMax: 1_000_000 } });
  for (const id of [1n, 2n, 3n]) await store.plants.create({ id, name: `fern ${id}` });
  await store.close();
  const path = join(folder, 'plants.db');
  const abortCount = new Int32Array(new SharedArrayBuffer(4));
  const data: ReaderData = { path, abortCount };
  const thread = new Thread<unknown, FromReader>('reader-thread', data);
  cleanUp(t, () => thread.close());
  return { path, thread, abortCount };
}

const listFrom = (after: bigint): ToReader => ({ list: { after, limit: 1 } });

describe('Thread', () => {
  it('returns each caller its own answer, also after a request that cannot be sent', async (t) => {
    const { thread } = await makeStore(t);
    const first = thread.call(listFrom(0n));
    const unsendable = thread.call({ list: () => 'a function cannot be cloned' });
    const second = thread.call(listFrom(1n));
    await assert.rejects(unsendable, { name: 'DataCloneError' });
    assert.deepEqual(toPlants(await first), [{ id: 1n, name: 'fern 1' }]);
    assert.deepEqual(toPlants(await second), [{ id: 2n, name: 'fern 2' }]);
  });

  it('ends after close, and refuses later calls', async (t) => {
    const { thread } = await makeStore(t);
    const last = thread.call(listFrom(0n));
    await thread.close();
    assert.equal(toPlants(await last).length, 1);
    await assert.rejects(thread.call(listFrom(0n)), { code: 'shutting_down' });
  });
});

describe('the reader thread', () => {
  it('closes the connection of a snapshot that cannot be opened', async (t) => {
    const { path, thread } = await makeStore(t);
    await thread.call(listFrom(0n));
    const db = new DatabaseSync(path, { timeout: 0 });
    t.after(() => db.close());
    db.exec('ALTER TABLE plant_count RENAME TO hidden');
    const before = countDescriptors(`${path}-wal`);
    await assert.rejects(thread.call({ open: 1, filter: {} } satisfies ToReader), { code: 'internal' });
    assert.equal(countDescriptors(`${path}-wal`), before);
    db.exec("ALTER TABLE hidden RENAME TO plant_count; INSERT INTO plants (id, name) VALUES (4, 'moss')");
    await thread.call({ open: 2, filter: {} } satisfies ToReader);
    assert.equal(toPlants(await thread.call({ next: 2 } satisfies ToReader)).length, 4);
  });

  it('aborts snapshots before the next search, although the request to do so waits behind all of them', async (t) => {
    const { path, thread, abortCount } = await makeStore(t);
    await thread.call({ open: 1, filter: {} } satisfies ToReader);
    const db = new DatabaseSync(path, { timeout: 0 });
    t.after(() => db.close());
    db.exec("INSERT INTO plants (id, name) VALUES (4, 'moss')");
    const isBusy = () => db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'];
    assert.equal(isBusy(), 1, 'the snapshot blocks the log');
    Atomics.add(abortCount, 0, 1);
    await thread.call(listFrom(0n));
    assert.equal(isBusy(), 0);
    await assert.rejects(thread.call({ next: 1 } satisfies ToReader), { code: 'store_busy' });
  });
});

/** Returns the number of this process's open descriptors of a file. */
function countDescriptors(path: string): number {
  const links = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      // The descriptor of the folder itself is closed by now.
      return '';
    }
  });
  return links.filter((link) => link === path).length;
}
