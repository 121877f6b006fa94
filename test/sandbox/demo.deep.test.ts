/** `plant-store demo` as a process: from its start to a request, and what is left of it; in another language, too. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { mainPath, spawnCli } from '../cli/run-cli.ts';
import { cleanUp, makeFolder } from '../support/clean-up.ts';
import { hasTool } from '../support/has-tool.ts';

it('plant-store demo shows a request that succeeds, and leaves no file when it is killed', async (t) => {
  const folder = await makeFolder(t);
  // What is set for a service that stores something is not for a demo.
  const env = { HOME: folder, PORT: '0', PLANT_STORE_DATA_DIR: 'data', DATABASE_URL: 'postgres://none.invalid/none' };
  const demo = spawnCli(['demo'], env, folder);
  cleanUp(t, async () => demo.signal('SIGKILL' as never));
  await demo.printed('/plants/7');
  demo.signal('SIGKILL' as never);
  const { stdout } = await demo.ended;
  const [, token = '', url = ''] = /curl -H 'Authorization: Bearer (sandbox-[0-9a-f]{16})' (\S+)/.exec(stdout) ?? [];
  assert.match(stdout, new RegExp(`Console  ${url.replace('/plants/7', '')}/console`));
  assert.notEqual(token, '');
  assert.deepEqual(await readdir(folder), []);
});

it('docs/sandbox.md has a program in Python that starts a demo, reads a plant and ends it', async (t) => {
  const page = await readFile(join(import.meta.dirname, '../../docs/sandbox.md'), 'utf8');
  const [, shown = ''] = /^```python\n(.*?)^```$/ms.exec(page) ?? [];
  const script = shown.replace('"plant-store"', JSON.stringify([process.execPath, mainPath]).slice(1, -1));
  assert.notEqual(script, shown);
  if (!hasTool(t, 'python3')) return;
  const { status, stdout } = spawnSync('python3', ['-c', script], { encoding: 'utf8', timeout: 60_000 });
  assert.deepEqual([status, stdout], [0, 'Monstera\n']);
});
