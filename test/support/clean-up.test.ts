/** What a service leaves in a folder is checked before the folder is removed, and the folder is removed after the end of the service. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { cleanUp, makeFolder } from './clean-up.ts';
import { startService } from './start-service.ts';

it('all that a file has started is ended by one hook, the latest first, although a check among them fails', async () => {
  const hooks: (() => Promise<void>)[] = [];
  const after = (hook: () => Promise<void>) => void hooks.push(hook);
  const ended: string[] = [];
  const end = async (what: string): Promise<void> => void ended.push(what);
  cleanUp({ after }, () => end('the browser'));
  cleanUp({ after }, () => Promise.reject(new Error('checked')));
  cleanUp({ after }, () => end('the service'));
  const [hook = assert.fail(), ...others] = hooks;
  await assert.rejects(hook, { message: 'checked' });
  assert.deepEqual([ended, others], [['the service', 'the browser'], []]);
});

it('a token that leaked into a folder of the test is found when the test ends', async () => {
  const hooks: (() => Promise<void>)[] = [];
  const scope = { after: (hook: () => Promise<void>) => void hooks.push(hook) };
  const dataDir = await makeFolder(scope);
  const { token } = await startService(scope, { dataDir });
  await writeFile(join(dataDir, 'leak'), token);
  const failures: unknown[] = [];
  for (const hook of hooks) await hook().catch((error: unknown) => failures.push(error));
  assert.match(String(failures), /^Error: A token leaked: leak$/);
  assert.equal(existsSync(dataDir), false);
});
