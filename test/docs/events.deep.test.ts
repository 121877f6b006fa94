/** Runs every command of docs/events.md in order, after those of README.md, and compares the output with what the page shows. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readSteps, type Step } from './read-steps.ts';
import { Clone } from './run-steps.ts';

const root = join(import.meta.dirname, '..', '..');

describe('docs/events.md', () => {
  it('shows the output of its commands', async (context) => {
    const [start, , ...readmeSteps] = readSteps(await readFile(join(root, 'README.md'), 'utf8'));
    const steps = readSteps(await readFile(join(root, 'docs', 'events.md'), 'utf8'));
    assert.ok(start !== undefined && steps.length > 9, 'the steps of the page were found');
    const clone = await Clone.make();
    context.after(() => clone.remove());
    // Without `npm test`.
    const hasPython = spawnSync('python3', ['--version']).status === 0;
    if (!hasPython) context.diagnostic('python3 is not installed: its sample was not run');
    const needsPython = (step: Step): boolean => step.kind === 'run' && step.commands.startsWith('python3 ');
    for (const step of [start, ...readmeSteps, ...steps]) if (hasPython || !needsPython(step)) await clone.take(step);
  });
});
