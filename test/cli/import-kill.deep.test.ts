/** An import by the command while its service is killed. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { PlantClient } from '../../src/client/client.ts';
import { makeFolder } from '../support/clean-up.ts';
import { startProcess } from '../support/start-process.ts';
import { startService } from '../support/start-service.ts';
import { startCli } from './run-cli.ts';

it(
  'plant-store import rides out a service that is killed in the middle: every row is there afterwards',
  { timeout: 120_000 },
  async (t) => {
    const count = 120_000;
    const name = 'x'.repeat(60);
    const text = Array.from({ length: count }, (_, index) => `{"id":${index},"name":"${name}"}\n`).join('');
    const folder = await makeFolder(t);
    await writeFile(join(folder, 'big.ndjson'), text);
    const dataDir = join(folder, 'killed');
    const first = await startProcess(t, { dataDir });
    const cli = startCli(['import', join(folder, 'big.ndjson')], {
      PLANT_STORE_URL: first.url,
      PLANT_STORE_TOKEN: first.token,
    });
    const client = new PlantClient({ url: first.url, token: first.token });
    // Something is stored, and much is still to come.
    while ((await client.listPage({ pageSize: 1 })).items.length === 0);
    await first.kill();
    await cli.said('; retrying\n');
    await startService(t, { dataDir, env: { PORT: String(first.port) } });
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
