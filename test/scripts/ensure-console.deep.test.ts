/** The build before a start, in a copy of the project whose build never ends. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { cleanUp, makeFolder } from '../support/clean-up.ts';

const root = join(import.meta.dirname, '..', '..');
const parts = ['console', 'openapi.json', 'package.json', 'package-lock.json', 'scripts', 'src'];

it(
  'a build waits for another one, until its lock is deleted as the message says; one that is stopped deletes it',
  { timeout: 120_000 },
  async (t) => {
    const folder = await makeFolder(t);
    // Other tests may be building.
    const filter = (path: string): boolean => !/console\/(?:dist|\.building)/.test(path);
    for (const part of parts) await cp(join(root, part), join(folder, part), { recursive: true, filter });
    await mkdir(join(folder, 'node_modules', 'vite'), { recursive: true });
    await writeFile(
      join(folder, 'scripts', 'build-console.ts'),
      "console.log('building'); setInterval(() => {}, 1_000); await new Promise(() => {});",
    );
    const start = () => {
      const build = spawn(process.execPath, [join(folder, 'scripts', 'ensure-console.ts')]);
      const exited = once(build, 'exit');
      cleanUp(t, async () => {
        build.kill('SIGKILL');
        await exited;
      });
      return { build, exited, hasBegun: once(build.stdout, 'data') };
    };
    const lock = join(folder, 'console', '.building');
    await start().hasBegun;
    assert.ok(existsSync(lock));
    const { build, exited, hasBegun } = start();
    const [message] = (await once(build.stderr, 'data')) as [Buffer];
    assert.equal(String(message), `Waiting for another build of the console. If there is none, delete ${lock}\n`);
    await rmdir(lock);
    await hasBegun;
    build.kill('SIGINT');
    assert.deepEqual(await exited, [null, 'SIGINT']);
    assert.ok(!existsSync(lock));
  },
);
