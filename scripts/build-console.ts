/** Builds the console into console/dist, then the documentation page: bundled, named by content hash, and compressed. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { buildDocs } from './build-docs.ts';
import { compressFolder } from './compress-folder.ts';
import { findSourceHash, stampPath } from './console-sources.ts';
import { toPageConfig } from './page-config.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'console', 'dist');

const hash = await findSourceHash();
await build(toPageConfig(join(root, 'console'), folder));

const bytes = await compressFolder(folder, 11);
await buildDocs();
await writeFile(stampPath, hash);
console.log(`Console built: ${(bytes / 1000).toFixed(1)} kB of JavaScript, compressed.`);
