/** The budget of the console: what a phone on a slow network loads before it shows anything. */
import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import '../../scripts/ensure-console.ts';

const assets = join(import.meta.dirname, '../../console/dist/assets');
/** Compressed. */
const scriptBytesMax = 67_500;

it('the console has at most 67,500 bytes of JavaScript', async () => {
  const scripts = (await readdir(assets)).filter((name) => name.endsWith('.js.br'));
  assert.notEqual(scripts.length, 0);
  const sizes = await Promise.all(scripts.map(async (name) => (await stat(join(assets, name))).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(bytes <= scriptBytesMax, `${bytes} bytes, more than ${scriptBytesMax}`);
});
