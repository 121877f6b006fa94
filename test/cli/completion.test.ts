/** Completion in a shell: the suggestions are the commands, options and choices that exist. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCli } from './run-cli.ts';

/** The words that are suggested for an unfinished command line. */
async function suggest(...words: readonly string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runCli(['complete', '--', ...words]);
  assert.deepEqual([code, stderr], [0, '']);
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.slice(0, line.indexOf(' ')));
}

describe('plant-store complete', () => {
  it('suggests commands and their subcommands', async () => {
    const commands = await suggest('');
    for (const name of ['serve', 'tags', 'patch', 'token', 'completion']) assert.ok(commands.includes(name), name);
    assert.ok(!commands.includes('complete'));
    assert.deepEqual(await suggest('pa'), ['patch']);
    assert.deepEqual(await suggest('token', 're'), ['revoke']);
    assert.deepEqual(await suggest('help', ''), commands);
    assert.deepEqual(await suggest('help', 'token', ''), ['create', 'list', 'revoke']);
  });

  it('suggests the options of the command, and their choices', async () => {
    assert.ok((await suggest('list', '--')).includes('--limit'));
    assert.deepEqual(await suggest('list', '--limit', '5', '--json', '--ta'), ['--tag']);
    assert.deepEqual(await suggest('import', '--on-conflict', ''), ['fail', 'skip', 'replace']);
    assert.deepEqual(await suggest('import', '--on-conflict=s'), ['--on-conflict=skip']);
    assert.deepEqual(await suggest('completion', ''), ['bash', 'zsh', 'fish']);
  });

  it('suggests nothing where any text is allowed', async () => {
    for (const words of [
      ['import', ''],
      ['list', '--limit', ''],
      ['token', 'create', '--scope', 'plants:read', ''],
    ])
      assert.deepEqual(await suggest(...words), [], words.join(' '));
  });
});
