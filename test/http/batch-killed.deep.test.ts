/** SIGKILL in the middle of a batch: what is sent again with the same group is completed exactly, and undone exactly. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { type Change, ConnectionError, PlantClient } from '../../src/client/client.ts';
import { toFaultEnvironment } from '../crash/fault.ts';
import { startProcess } from '../support/start-process.ts';

const plants = 20_000;
const csv = Array.from({ length: plants }, (_, at) => `${at - 10_000},plant ${at},tag ${at % 7}\n`).join('');

it('a batch that SIGKILL ends is completed by its repetition, each plant changed once', async (test) => {
  const dataDir = join(await mkdtemp(join(tmpdir(), 'plant-store-batch-')), 'data');
  test.after(() => rm(join(dataDir, '..'), { recursive: true, force: true }));
  // Slow, so that much of the batch is left when its progress has arrived.
  const first = await startProcess(test, { dataDir, env: toFaultEnvironment({ kind: 'slow-commit', ms: 100 }) });
  const client = openClient(first);
  await client.import(`id,name,tag\n${csv}`, { mediaType: 'text/csv' });
  const before = await readAll(client);
  const batch = { action: 'setTag', plants: { name: 'plant' }, tag: 'new', group: 'killed' } as const;
  let killed: Promise<unknown> | undefined;
  await assert.rejects(
    client.batch(batch, {
      onProgress: ({ read }) => {
        if (read >= 3_000n) killed ??= first.kill();
      },
    }),
    ConnectionError,
  );
  await killed;

  const again = openClient(await startProcess(test, { dataDir }));
  const left = plants - (await countTagged(again));
  assert.ok(left > 0 && left < plants, `${left} plants left`);
  const someone = { name: 'plant of someone else', tag: 'theirs' };
  await again.put(-10_000n, someone);
  const report = await again.batch(batch);
  assert.deepEqual([report.changed, report.refused, report.done], [BigInt(left), 0n, true]);
  assert.equal(await countTagged(again), plants - 1);
  const changed: bigint[] = [];
  let page = await again.changesPage({ order: 'desc', pageSize: 1_000 });
  for (; page.next !== undefined; page = await again.changesPage(page.next)) changed.push(...idsOf(page.items));
  changed.push(...idsOf(page.items));
  assert.deepEqual([changed.length, new Set(changed).size], [plants, plants]);

  const undone = await again.batch({ action: 'undo', undoes: 'killed' });
  assert.deepEqual([undone.changed, undone.refused], [BigInt(plants - 1), 1n]);
  assert.deepEqual(await readAll(again), [{ id: -10_000n, ...someone }, ...before.slice(1)]);
});

function openClient({ url, token }: { readonly url: string; readonly token: string }): PlantClient {
  return new PlantClient({ url, token, retries: 0 });
}

function idsOf(changes: readonly Change[]): bigint[] {
  return changes.filter(({ group }) => group === 'killed').map(({ id }) => id);
}

async function countTagged(client: PlantClient): Promise<number> {
  const { items } = await client.tagsPage();
  return Number(items.find(({ tag }) => tag === 'new')?.plants ?? 0n);
}

async function readAll(client: PlantClient): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const plant of client.list({ pageSize: 1_000 })) all.push(plant);
  return all;
}
