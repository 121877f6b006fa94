/** How the commands of a page and the output that it shows are found. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSteps, toPattern } from './read-steps.ts';

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
    ['nothing in a block of output alone', '```text\nx\n```', []],
  ] as const) {
    it(`finds ${what}`, () => {
      assert.deepEqual(readSteps(text), wanted);
    });
  }

  it('ignores a block of output that does not follow its command directly', () => {
    const [step] = readSteps('```sh\nls\n```\nThen:\n```text\nx\n```');
    assert.equal(step?.kind === 'run' ? step.shown : '', undefined);
  });
});

describe('toPattern()', () => {
  it('lets only … stand for other text', () => {
    assert.match('Created token 0Ak with a.b', toPattern('Created token … with a.b'));
    assert.doesNotMatch('Created token 0Ak with axb', toPattern('Created token … with a.b'));
    assert.doesNotMatch('x\nCreated', toPattern('Created'));
  });
});
