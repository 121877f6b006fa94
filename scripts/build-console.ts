/** Builds the console into console/dist, and the documentation beside it: bundled, named by content, and compressed ahead of time. When it must be built is not decided here. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { buildDocs } from './build-docs.ts';
import { compressFolder } from './compress-folder.ts';
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

const bytes = await compressFolder(folder, 11);
await buildDocs();
await writeFile(stampPath, hash);
console.log(`Console built: ${(bytes / 1000).toFixed(1)} kB of JavaScript, compressed.`);
