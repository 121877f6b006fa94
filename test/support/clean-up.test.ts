/** What a service leaves in a folder is checked before the folder is removed, and the folder is removed after the end of the service. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { makeFolder } from './clean-up.ts';
import { startService } from './start-service.ts';

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
