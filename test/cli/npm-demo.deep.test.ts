/** `npm run demo`, as README says: it builds the console, and what it prints works. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { it } from 'node:test';
import { cleanUp } from '../support/clean-up.ts';

it('npm run demo prepares the console, and serves it and its plants', { timeout: 120_000 }, async (t) => {
  const env = { ...process.env, PORT: '0' };
  const cwd = join(import.meta.dirname, '..', '..');
  const npm = spawn('npm', ['run', 'demo'], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(npm, 'close');
  cleanUp(t, async () => {
    npm.kill('SIGTERM');
    await ended;
  });
  let output = '';
  const found = await new Promise<RegExpExecArray>((resolve) => {
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const line = /curl -H 'Authorization: (Bearer sandbox-\w+)' ((\S+)\/plants\/7)\n/.exec(output);
      if (line !== null) resolve(line);
    });
  });
  assert.match(output, /ensure-console/);
  const [, authorization = '', plant = '', url = ''] = found;
  assert.equal((await fetch(plant, { headers: { authorization } })).status, 200);
  for (const page of ['/console', '/docs']) assert.match(await (await fetch(url + page)).text(), /<!doctype html>/i);
});
