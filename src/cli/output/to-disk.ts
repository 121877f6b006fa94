/** Flushes files, and the names in a folder, to disk. `FileHandle.sync` is missing in the file system of Yarn's Plug'n'Play. */
import fs from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';

export function flushFile({ fd }: FileHandle): Promise<void> {
  return promisify(fs.fsync)(fd);
}

export async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await flushFile(folder).finally(() => folder.close());
}
