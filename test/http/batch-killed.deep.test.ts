/** SIGKILL in the middle of a batch, and of its undo: what is sent again is completed exactly, and undone exactly. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { type Batch, type Change, ConnectionError, PlantClient } from '../../src/client/client.ts';
import { toFaultEnvironment } from '../crash/fault.ts';
import { makeFolder } from '../support/clean-up.ts';
import { type ServiceProcess, startProcess } from '../support/start-process.ts';

const plants = 20_000;
const csv = Array.from({ length: plants }, (_, at) => `${at - 10_000},plant ${at},tag ${at % 7}\n`).join('');

it('a batch that SIGKILL ends is completed by its repetition, each plant changed once, and so is its undo', async (test) => {
  const dataDir = join(await makeFolder(test), 'data');
  // Slow, so that much of the batch is left when its progress has arrived.
  const slow = { dataDir, env: toFaultEnvironment({ kind: 'slow-commit', ms: 100 }) };
  const first = await startProcess(test, slow);
  const client = openClient(first);
  await client.import(`id,name,tag\n${csv}`, { mediaType: 'text/csv' });
  const before = await readAll(client);
  const batch = { action: 'setTag', plants: { name: 'plant' }, tag: 'new', group: 'killed' } as const;
  await killDuring(batch, first);

  const second = await startProcess(test, slow);
  const again = openClient(second);
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

  const undo = { action: 'undo', undoes: 'killed' } as const;
  await killDuring(undo, second);

  const last = openClient(await startProcess(test, { dataDir }));
  const leftToUndo = await countTagged(last);
  assert.ok(leftToUndo > 0 && leftToUndo < plants - 1, `${leftToUndo} plants left to undo`);
  for (const changed of [BigInt(leftToUndo), 0n]) {
    const undone = await last.batch(undo);
    assert.deepEqual([undone.changed, undone.refused, undone.done], [changed, 1n, true]);
    assert.deepEqual(await readAll(last), [{ id: -10_000n, ...someone }, ...before.slice(1)]);
  }
});

/** Ends the process once it has reported some of the plants. */
async function killDuring(batch: Batch, service: ServiceProcess): Promise<void> {
  let killed: Promise<unknown> | undefined;
  const onProgress = ({ read }: { readonly read: bigint }): void => {
    if (read >= 3_000n) killed ??= service.kill();
  };
  await assert.rejects(openClient(service).batch(batch, { onProgress }), ConnectionError);
  await killed;
}

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
