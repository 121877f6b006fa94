/** A file that comes to be all at once: written beside its place, on disk before it is moved there. What is in it is not known here. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { toSystemReason } from '../../observe/system-error.ts';
import { isDatabaseOrOfStore } from '../../store/sqlite/data-folder.ts';

/** Where bytes go. */
export interface Sink {
  /** Resolves when more may come; to false when nobody wants more. */
  write(bytes: Uint8Array): Promise<boolean>;
  /** Everything has been written. */
  finish(): Promise<void>;
  /** What was written is not whole. */
  discard(): Promise<void>;
}

/**
 * Opens a temporary file beside FILE, under a name of its own; `finish` makes it FILE, in place of an older one, once it is on disk.
 * @throws Error when it cannot be written, or would replace a database.
 */
export async function openWholeFile(file: string, cwd: string): Promise<Sink> {
  const path = resolve(cwd, file);
  const partPath = `${path}.${randomUUID()}.part`;
  const fail = (cause: unknown): never => {
    throw new Error(`Cannot write ${file}: ${toSystemReason(cause)}`, { cause });
  };
  const part = await openPart(path, partPath).catch(fail);
  return {
    write: async (bytes) => {
      await part.writeFile(bytes).catch(fail);
      return true;
    },
    finish: () => moveIntoPlace(part, partPath, path).catch(fail),
    discard: async () => {
      await part.close();
      await rm(partPath, { force: true });
    },
  };
}

/** @throws Error if the path is that of something that a rename must not replace. */
async function openPart(path: string, partPath: string): Promise<FileHandle> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) throw new Error('it is a folder');
  // /dev/null for example.
  if (found?.isFile() === false) throw new Error('it is not a regular file');
  if (isDatabaseOrOfStore(path)) throw new Error('it is a database, or a file of a data folder; choose another name');
  return open(partPath, 'wx');
}

async function moveIntoPlace(part: FileHandle, partPath: string, path: string): Promise<void> {
  await part.sync();
  await part.close();
  await rename(partPath, path);
  // The name, too, has to be on disk.
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
}
