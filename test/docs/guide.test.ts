/** Runs every command of docs/guide.md, in order, and holds the output that it shows against the real one. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readSteps, toPattern } from './read-steps.ts';
import { Clone } from './run-steps.ts';

const page = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'guide.md'), 'utf8');

describe('docs/guide.md', () => {
  it('shows what its commands answer', async (context) => {
    const steps = readSteps(page);
    assert.ok(steps.length > 20, 'the steps of the guide were found');
    const clone = await Clone.make();
    context.after(() => clone.remove());
    for (const step of steps) await clone.take(step);
  });
});

describe('readSteps()', () => {
  const line = 1;
  for (const [what, text, wanted] of [
    ['a command', '```sh\nls\n```', [{ kind: 'run', line, commands: 'ls', exitCode: 0, shown: undefined }]],
    [
      'output and exit code',
      '```sh exit=3\nls\n```\n\n```text\nx\n```',
      [{ kind: 'run', line, commands: 'ls', exitCode: 3, shown: 'x' }],
    ],
    ['a stop', 'Press Ctrl-C to stop.', [{ kind: 'stop', line }]],
    ['nothing in a block that is no command', '```text\nx\n```', []],
  ] as const) {
    it(`finds ${what}`, () => {
      assert.deepEqual(readSteps(text), wanted);
    });
  }

  it('takes output behind other words for no output', () => {
    const [step] = readSteps('```sh\nls\n```\nThen:\n```text\nx\n```');
    assert.equal(step?.kind === 'run' ? step.shown : '', undefined);
  });
});

describe('toPattern()', () => {
  it('takes only … for anything', () => {
    assert.match('Made token 0Ak with a.b', toPattern('Made token … with a.b'));
    assert.doesNotMatch('Made token 0Ak with axb', toPattern('Made token … with a.b'));
    assert.doesNotMatch('x\nMade', toPattern('Made'));
  });
});
