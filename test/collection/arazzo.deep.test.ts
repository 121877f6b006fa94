/** The workflow for Arazzo runners, run by one of them against a sandbox. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { startSandbox } from '../../src/cli/serve/start-sandbox.ts';

const root = join(import.meta.dirname, '../..');

it('the Arazzo workflow passes all 20 steps in redocly respect, and again with the same token', async () => {
  await using sandbox = await startSandbox();
  const program = ['--env-file=scripts/redocly.env', 'node_modules/@redocly/cli/bin/cli.js', 'respect'];
  const flags = ['--server', `plants=${sandbox.url}`, '--input', `token=${sandbox.token()}`];
  const args = [...program, 'docs/reference/plant-store.arazzo.yaml', ...flags];
  for (let round = 0; round < 2; round++) {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: root, timeout: 120_000 });
    assert.match(stdout + stderr, /Steps: 20 passed, 20 total/);
  }
});
