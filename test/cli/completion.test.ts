/** Completion in a shell: the scripts are valid, and suggestions are the commands and options that exist. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { runProcess } from './run-cli.ts';

/** The words that are suggested for an unfinished command line. */
async function suggest(...words: readonly string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runProcess(['complete', '--', ...words]);
  assert.deepEqual([code, stderr], [0, '']);
  const lines = stdout.trimEnd().split('\n');
  assert.match(lines.pop() ?? '', /^:\d+$/);
  return lines.map((line) => line.split('\t')[0] ?? '');
}

describe('plant-store completion', () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    it(`prints a script that ${shell} can read, and that asks this program`, async (t) => {
      const { code, stdout } = await runProcess(['completion', shell]);
      assert.equal(code, 0);
      assert.match(stdout, /plant-store complete --/);
      const { status, stderr, error } = spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' });
      if (error !== undefined) t.diagnostic(`${shell} is not installed: its syntax was not checked`);
      else assert.equal(status, 0, stderr);
    });
  }

  it('suggests commands, their subcommands, options and choices', async () => {
    const commands = await suggest('');
    for (const name of ['serve', 'tags', 'patch', 'token', 'completion']) assert.ok(commands.includes(name), name);
    for (const name of ['complete', 'tab-setup']) assert.ok(!commands.includes(name), name);
    assert.deepEqual(await suggest('pa'), ['patch']);
    assert.deepEqual(await suggest('token', 're'), ['revoke']);
    assert.deepEqual(await suggest('help', ''), commands);
    assert.deepEqual(await suggest('import', '--on-conflict', ''), ['fail', 'skip', 'replace']);
    assert.ok((await suggest('list', '--')).includes('--limit'));
  });
});
