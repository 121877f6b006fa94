/** backup and restore, killed at each step that they take; import, whose service is killed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { PlantClient } from '../../src/client/client.ts';
import { backupStore } from '../../src/store/maintenance.ts';
import { openStore } from '../../src/store/open-store.ts';
import { makeFolder } from '../support/clean-up.ts';
import { findFreePort } from '../support/find-free-port.ts';
import { startProcess } from '../support/start-process.ts';
import { startService } from '../support/start-service.ts';
import { killVariable } from './kill-preload.ts';
import { makeStore, nameIn, nameInBackup } from './named-stores.ts';
import { mainPath, startCli } from './run-cli.ts';

const preloadPath = join(import.meta.dirname, 'kill-preload.ts');
const root = await makeFolder({ after });

/** Runs a command that is killed at a step. Resolves to whether it was, and did not end by itself before. */
async function runKilled(args: readonly string[], step: number): Promise<boolean> {
  const child = spawn(process.execPath, [`--import=${preloadPath}`, mainPath, ...args], {
    env: { [killVariable]: String(step) },
    stdio: 'ignore',
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  assert.ok(code === 0 || signal === 'SIGKILL', `it ended with ${code ?? signal ?? ''}`);
  return signal === 'SIGKILL';
}

describe('kill -9 at each step', () => {
  /** Before each step; a command that ends by itself has no more. Behind a step is before the next one. */
  async function killEach(args: readonly string[], verify: (step: number) => Promise<void>): Promise<number> {
    for (let step = 1; ; step++) {
      assert.ok(step < 100);
      const isKilled = await runKilled(args, step);
      await verify(step);
      if (!isKilled) return step;
    }
  }

  it(
    'of a backup leaves the earlier one or the new one, whole, and the next backup works',
    { timeout: 120_000 },
    async () => {
      const [older, newer, file] = [join(root, 'older'), join(root, 'newer'), join(root, 'killed.db')];
      await makeStore(older, 'old');
      await makeStore(newer, 'new');
      const seen = new Set<string>();
      await backupStore({ folder: older }, file);
      const steps = await killEach(['backup', file, '--data-dir', newer], async () => {
        seen.add(nameInBackup(file));
        assert.equal(await nameIn(newer), 'new');
        // Whatever the killed one left is no hindrance.
        await backupStore({ folder: older }, file);
        assert.equal(nameInBackup(file), 'old');
      });
      assert.deepEqual(seen, new Set(['old', 'new']));
      assert.ok(steps > 5, `${steps} steps were seen`);
    },
  );

  it(
    'of a restore leaves the old store or the new one, whole, and the old one is never lost',
    { timeout: 120_000 },
    async () => {
      const [fresh, untouched, folder] = [join(root, 'fresh'), join(root, 'untouched'), join(root, 'struck')];
      const file = join(root, 'restored.db');
      await makeStore(fresh, 'new');
      await backupStore({ folder: fresh }, file);
      const seen = new Set<string>();
      await makeStore(untouched, 'old');
      cpSync(untouched, folder, { recursive: true });
      const steps = await killEach(['restore', file, '--force', '--data-dir', folder], async (step) => {
        const name = await nameIn(folder);
        seen.add(name);
        const kept = readdirSync(folder).filter((each) => /^plants\.db\.before-[\w-]+$/.test(each));
        if (name === 'new') assert.equal(nameInBackup(join(folder, kept[0] ?? 'none')), 'old', `step ${step}`);
        // The service starts on what is left.
        const store = await openStore({ folder }, { limits: { writesMax: 10, bytesMax: 1_000_000 } });
        assert.equal(await store.plants.count(), 300);
        await store.close();
        rmSync(folder, { recursive: true });
        cpSync(untouched, folder, { recursive: true });
      });
      assert.deepEqual(seen, new Set(['old', 'new']));
      assert.ok(steps > 5, `${steps} steps were seen`);
    },
  );
});

it(
  'plant-store import rides out a service that is killed in the middle: every row is there afterwards',
  { timeout: 120_000 },
  async (t) => {
    const count = 120_000;
    const name = 'x'.repeat(60);
    const text = Array.from({ length: count }, (_, index) => `{"id":${index},"name":"${name}"}\n`).join('');
    const folder = await makeFolder(t);
    await writeFile(join(folder, 'big.ndjson'), text);
    const options = { dataDir: join(folder, 'killed'), env: { PORT: String(await findFreePort()) } };
    const first = await startProcess(t, options);
    const cli = startCli(['import', join(folder, 'big.ndjson')], {
      PLANT_STORE_URL: first.url,
      PLANT_STORE_TOKEN: first.token,
    });
    const client = new PlantClient({ url: first.url, token: first.token });
    // Something is stored, and much is still to come.
    while ((await client.listPage({ pageSize: 1 })).items.length === 0);
    await first.kill();
    await cli.said('; retrying\n');
    await startService(t, options);
    const { code, stdout, stderr } = await cli.ended;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^.*big\.ndjson: 120,000 rows read: .* 0 refused\n$/);
    let next = 0n;
    for await (const plant of client.export()) {
      assert.equal(plant.id, next);
      next++;
    }
    assert.equal(next, BigInt(count));
  },
);
