/** Runs the commands of the pages as a reader would, and compares their output with what the pages show. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { hasTool } from '../support/has-tool.ts';
import { readSteps, type Step } from './read-steps.ts';
import { Clone } from './run-steps.ts';

const root = join(import.meta.dirname, '..', '..');
const readPage = async (path: string): Promise<Step[]> => readSteps(await readFile(join(root, path), 'utf8'));
const readme = await readPage('README.md');
// After `npm start`.
const readmeSteps = readme.slice(1);

/** Resolves to the names that the commands have left in the folder. */
async function take(context: TestContext, steps: readonly Step[]): Promise<string[]> {
  const clone = await Clone.make();
  context.after(() => clone.remove());
  const before = new Set(await readdir(clone.folder));
  for (const step of steps) await clone.take(step);
  return (await readdir(clone.folder)).filter((name) => !before.has(name));
}

describe('the commands of the pages', () => {
  it('README.md opens with commands that do what it shows', async (context) => {
    const [first] = readme;
    assert.equal(first?.kind === 'run' && first.commands, 'npm ci && npm start');
    assert.ok(readmeSteps.length > 0, 'the steps were found');
    if (!hasTool(context, 'curl')) return;
    await take(context, readme);
  });

  it('docs/guide.md shows the output of its commands, also after those of the README, and leaves no files', async (context) => {
    const [start, ...steps] = await readPage('docs/guide.md');
    assert.ok(start !== undefined && steps.length > 20 && readmeSteps.length > 0, 'the steps were found');
    if (!hasTool(context, 'curl')) return;
    const left = await take(context, [start, ...readmeSteps, ...steps]);
    assert.deepEqual(
      left.filter((name) => !['data', 'dist'].includes(name)),
      [],
    );
  });

  it('docs/shop.md has commands that work in this order, and leave the backups', async (context) => {
    const steps = await readPage('docs/shop.md');
    assert.equal(steps.length, 3, 'the steps of the page were found');
    assert.deepEqual(
      (await take(context, steps)).filter((name) => name !== 'data'),
      ['backups'],
    );
  });

  it('docs/events.md shows the output of its commands', async (context) => {
    const steps = await readPage('docs/events.md');
    assert.ok(steps.length > 9, 'the steps of the page were found');
    if (!hasTool(context, 'curl', 'python3')) return;
    await take(context, [...readme, ...steps]);
  });
});
