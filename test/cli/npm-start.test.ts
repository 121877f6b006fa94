/** `npm start` as a supervisor runs it: the signal goes to npm, and the service must be what hears it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const root = join(import.meta.dirname, '..', '..');

describe('npm start', () => {
  it('hands SIGTERM on to the service, which drains and ends', { timeout: 120_000 }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'plant-store-npm-'));
    const env = { ...process.env, PORT: '0', LOG_FORMAT: 'json', PLANT_STORE_DATA_DIR: folder };
    const npm = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(async () => {
      npm.kill('SIGKILL');
      await rm(folder, { recursive: true });
    });
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
