/** The budget of the console: what a phone on a slow network loads. */
import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import '../../scripts/ensure-console.ts';

const folder = join(import.meta.dirname, '../../console/dist');
const page = await readFile(join(folder, 'index.html'), 'utf8');
const assets = await readdir(join(folder, 'assets'));
const scripts = assets.filter((name) => name.endsWith('.js.br'));

// Compressed.
for (const [what, names, bytesMax] of [
  ['loads before it shows the list', scripts.filter((name) => page.includes(name.replace('.br', ''))), 60_500],
  ['has in all', scripts, 72_400],
] as const)
  it(`the JavaScript that the console ${what} is at most ${bytesMax} bytes`, async () => {
    assert.notEqual(names.length, 0);
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, 'assets', name))).size));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(bytes <= bytesMax, `${bytes} bytes, more than ${bytesMax}`);
  });
