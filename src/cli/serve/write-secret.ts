/** Writes a file that only its owner can read: the first token, the key of webhooks. */
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { giveToOwner } from '../../store/sqlite/folder-access.ts';
import { flushFile, flushFolder } from '../output/to-disk.ts';

/** Resolves once file and name are on disk. Follows no link: a new file replaces what is there. */
export async function writeSecret(path: string, text: string): Promise<void> {
  const partPath = `${path}.part`;
  await rm(partPath, { force: true });
  const part = await open(partPath, 'wx', 0o600);
  try {
    await part.writeFile(text);
    await flushFile(part);
    giveToOwner(partPath);
  } finally {
    await part.close();
  }
  await rename(partPath, path);
  await flushFolder(dirname(path));
}
