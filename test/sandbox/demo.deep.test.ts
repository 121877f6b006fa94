/** `plant-store demo` as a process: from its start to a request, and what is left of it. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { it } from 'node:test';
import { spawnCli } from '../cli/run-cli.ts';
import { cleanUp, makeFolder } from '../support/clean-up.ts';

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
