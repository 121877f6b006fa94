/** Runs every command of docs/guide.md in order, after those of README.md, and compares their output with what the page shows. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readSteps, type Step } from './read-steps.ts';
import { Clone } from './run-steps.ts';

const root = join(import.meta.dirname, '..', '..');
const readPage = async (path: string): Promise<Step[]> => readSteps(await readFile(join(root, path), 'utf8'));

describe('docs/guide.md', () => {
  it('shows the output of its commands, also after those of the README', async (context) => {
    const [start, ...steps] = await readPage('docs/guide.md');
    assert.ok(start !== undefined && steps.length > 20, 'the steps of the guide were found');
    // After `npm start` and `npm test`.
    const readmeSteps = (await readPage('README.md')).slice(2);
    assert.ok(readmeSteps.length > 0, 'the README creates a plant');
    const clone = await Clone.make();
    context.after(() => clone.remove());
    const before = new Set(await readdir(clone.folder));
    for (const step of [start, ...readmeSteps, ...steps]) await clone.take(step);
    const left = (await readdir(clone.folder)).filter((name) => !before.has(name) && !['data', 'dist'].includes(name));
    assert.deepEqual(left, [], 'the tutorial leaves no files of its own');
  });
});
