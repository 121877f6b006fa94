/** The build before a start, in a copy of the project whose build never ends. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { cleanUp, makeFolder } from '../support/clean-up.ts';

const root = join(import.meta.dirname, '..', '..');
const parts = ['console', 'openapi.json', 'package.json', 'package-lock.json', 'scripts', 'src'];

it('a build that is stopped lets the next one begin at once', { timeout: 120_000 }, async (t) => {
  const folder = await makeFolder(t);
  // Other tests may be building.
  const filter = (path: string): boolean => !/console\/(?:dist|\.building)/.test(path);
  for (const part of parts) await cp(join(root, part), join(folder, part), { recursive: true, filter });
  await mkdir(join(folder, 'node_modules', 'vite'), { recursive: true });
  await writeFile(
    join(folder, 'scripts', 'build-console.ts'),
    "console.log('building'); setInterval(() => {}, 1_000);",
  );
  const build = spawn(process.execPath, [join(folder, 'scripts', 'ensure-console.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(build, 'exit');
  cleanUp(t, async () => {
    build.kill('SIGKILL');
    await exited;
  });
  await once(build.stdout, 'data');
  assert.ok(existsSync(join(folder, 'console', '.building')));
  build.kill('SIGINT');
  assert.deepEqual(await exited, [null, 'SIGINT']);
  assert.ok(!existsSync(join(folder, 'console', '.building')));
});
