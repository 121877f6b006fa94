/** One hash of everything that the built console depends on. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Contains the hash of the sources of the build. */
export const stampPath = join(root, 'console', 'dist', '.stamp');

const folders = ['console/docs', 'console/src', 'console/styles', 'src/client', 'src/domain', 'src/json', 'src/rows'];
const files = [
  'console/index.html',
  'console/icon.svg',
  'console/tsconfig.json',
  'openapi.json',
  'scripts/build-console.ts',
  'scripts/build-docs.ts',
  'scripts/compress-folder.ts',
  'scripts/console-sources.ts',
  'scripts/page-config.ts',
  'src/http/pages/plain-page.ts',
  'package-lock.json',
];

export async function findSourceHash(): Promise<string> {
  const hash = createHash('sha256');
  const listed = await Promise.all(folders.map((folder) => listFiles(folder)));
  for (const path of [...files, ...listed.flat()].sort()) {
    const content = await readFile(join(root, path));
    hash.update(`${path}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(root.length + 1)
        .replaceAll('\\', '/'),
    );
}
