/** Runs the commands with which README.md opens. pages.test.ts compares the rest with the project. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readSteps } from './read-steps.ts';
import { Clone } from './run-steps.ts';

const root = join(import.meta.dirname, '..', '..');
const readme = await readFile(join(root, 'README.md'), 'utf8');

describe('README.md', () => {
  it('opens with commands that do what it shows', async (context) => {
    const steps = readSteps(readme);
    assert.deepEqual(
      steps.slice(0, 2).map((step) => (step.kind === 'run' ? step.commands : step.kind)),
      ['npm ci && npm start', 'npm ci && npm test'],
    );
    const clone = await Clone.make();
    context.after(() => clone.remove());
    // The second is the very run that this test is part of.
    for (const step of steps.filter((_step, index) => index !== 1)) await clone.take(step);
  });
});
