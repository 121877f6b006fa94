/** Writes the generated files. With --check, writes nothing, lists stale files and exits with 1. generated-files.ts lists the files. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findStaleFiles } from './find-stale-files.ts';
import { generatedFiles } from './generated-files.ts';

const root = join(import.meta.dirname, '..');
const stale = await findStaleFiles(generatedFiles, (path) => readFile(join(root, path), 'utf8'));

if (process.argv.includes('--check')) {
  for (const { path } of stale) console.error(`${path} is stale: run npm run generate`);
  if (stale.length > 0) process.exitCode = 1;
} else {
  for (const { path, text } of stale) {
    await writeFile(join(root, path), text);
    console.log(`${path} written`);
  }
  if (stale.length === 0) console.log('Every generated file was fresh.');
}
