/** SIGKILL while the service starts, its first migration included: the next start finds a store that is whole or none at all. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { hashToken } from '../../src/auth/token.ts';
import { checkStore } from '../../src/store/maintenance.ts';
import { runCli } from '../cli/run-cli.ts';
import { Disk } from '../faults/power-loss/disk.ts';
import { record } from '../faults/power-loss/record.ts';
import { compare, makePlants, storePlants } from '../faults/stored-plants.ts';
import { canTrace } from '../faults/system-calls.ts';
import { makeRandom } from './random.ts';
import { postPlant } from './send-request.ts';
import { readStored } from './read-stored.ts';
import { spawnService, startService } from './service-process.ts';

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'plant-store-start-')), 'data');
});
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

/** Starts the service, stores a plant with the first token, and kills it. */
async function startsAndStores(id: bigint): Promise<void> {
  const service = await startService({ folder });
  try {
    const { status } = await postPlant(service.port, { id, name: 'fern' }, new Agent());
    assert.equal(status, 200);
  } finally {
    service.kill('SIGKILL');
    await service.exited;
  }
  assert.deepEqual((await readStored(folder)).faults, []);
}

/** Starts and stops the service, then stores a plant. Returns what is wrong. */
async function tryStart(data: string): Promise<string[]> {
  const { code, stderr } = await runCli(['serve', '--port', '0', '--data-dir', data], {}, folder, {
    stopAt: '"Ready"',
  });
  if (code !== 0) return [stderr];
  const token = (await readFile(join(data, 'initial-token'), 'utf8')).trim();
  const db = new DatabaseSync(join(data, 'plants.db'));
  const hashes = db.prepare('SELECT hash FROM tokens').all();
  db.close();
  const faults = hashes.length === 1 && hashes[0]?.['hash'] === hashToken(token) ? [] : ['its token is not valid'];
  const plants = makePlants(1, 'fern');
  await storePlants(data, plants);
  return [...faults, ...(await compare(data, plants)), ...(await checkStore({ folder: data })).problems];
}

describe('a start that is killed', () => {
  it('before each statement of the first start leaves a folder that starts', async () => {
    // Statement by statement through settings, migration and its COMMIT, until one start gets through.
    let nth = 0;
    for (let isReady = false; !isReady;) {
      nth += 1;
      await rm(folder, { recursive: true, force: true });
      const service = spawnService({ folder, fault: { kind: 'kill', at: 'start', nth } });
      isReady = (await service.ready) !== undefined;
      service.kill('SIGKILL');
      assert.equal((await service.exited).signal, 'SIGKILL', service.output());
      await startsAndStores(BigInt(nth));
    }
    assert.ok(nth >= 7, `${nth - 1} kills came`);
  });

  it('between any two changes that the first start makes on the disk leaves a folder that starts', async (t) => {
    if (!canTrace(t)) return;
    const root = join(folder, '..', 'root');
    await mkdir(root);
    const env = { PLANT_STORE_INITIAL_TOKEN: undefined };
    const recording = await record(root, join(folder, '..', 'trace'), { env }, async (service) => {
      assert.notEqual(await service.ready, undefined, service.output());
    });
    // The system keeps what a killed process has written, synced or not.
    const disk = new Disk(recording);
    const changes = recording.events.filter(({ kind }) => !['send', 'sync', 'sync-folder'].includes(kind));
    const findings: string[] = [];
    for (const [number, { at, ...change }] of [...changes, { at: Infinity, kind: 'end' }].entries()) {
      const killed = join(folder, '..', `killed-${number}`);
      disk.advanceTo(at);
      disk.rebuild(killed, 'everything', makeRandom(0));
      const found = await tryStart(join(killed, 'data')).catch((error: unknown) => [String(error)]);
      findings.push(...found.map((problem) => `Killed before change ${number} (${change.kind}): ${problem}`));
      await rm(killed, { recursive: true });
    }
    t.diagnostic(`${changes.length} changes`);
    assert.deepEqual(findings, []);
    assert.ok(changes.length > 50, `${changes.length} changes were seen`);
  });

  it('at any moment, again and again, leaves a folder that starts', async () => {
    for (let ms = 40; ms <= 440; ms += 50) {
      const service = spawnService({ folder });
      await Promise.race([wait(ms), service.ready]);
      service.kill('SIGKILL');
      await service.exited;
    }
    await startsAndStores(1n);
  });
});
