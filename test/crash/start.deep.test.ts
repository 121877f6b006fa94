/** SIGKILL while the service starts, its first migration included: the next start finds a store that is whole or none at all. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
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
