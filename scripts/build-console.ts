/** Builds the console into console/dist: bundled, named by content, and compressed ahead of time. When it must be built is not decided here. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { findSourceHash, stampPath } from './console-sources.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'console', 'dist');
/** Browsers that know `light-dark()` and nested reading of streams. */
const target = ['chrome123', 'firefox124', 'safari17.5'];

const hash = await findSourceHash();
await build({
  root: join(root, 'console'),
  configFile: false,
  envDir: false,
  // Relative: the page works below any base path.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir: folder,
    emptyOutDir: true,
    target,
    cssTarget: target,
    // Nothing inline: the policy of the page forbids it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});

let bytes = 0;
for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || entry.name === 'index.html') continue;
  const path = join(entry.parentPath, entry.name);
  const content = await readFile(path);
  const brotli = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  await writeFile(`${path}.br`, brotli);
  await writeFile(`${path}.gz`, gzipSync(content, { level: 9 }));
  if (entry.name.endsWith('.js')) bytes += brotli.length;
}
await writeFile(stampPath, hash);
console.log(`Console built: ${(bytes / 1000).toFixed(1)} kB of JavaScript, compressed.`);
