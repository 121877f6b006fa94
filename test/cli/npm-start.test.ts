/** `npm start` as a supervisor runs it: the signal goes to npm, and the service must be what hears it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { cleanUp, makeFolder } from '../support/clean-up.ts';

const root = join(import.meta.dirname, '..', '..');

describe('npm start', () => {
  it('hands SIGTERM on to the service, which drains and ends', { timeout: 120_000 }, async (t) => {
    const folder = await makeFolder(t);
    const env = { ...process.env, PORT: '0', LOG_FORMAT: 'json', PLANT_STORE_DATA_DIR: folder };
    const npm = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
    cleanUp(t, async () => void npm.kill('SIGKILL'));
    let output = '';
    let isStopping = false;
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (isStopping || !output.includes('"Ready"')) return;
      isStopping = true;
      npm.kill('SIGTERM');
    });
    await once(npm, 'close');
    assert.match(output, /"msg":"Draining"[\s\S]*"msg":"Stopped"/);
  });
});
