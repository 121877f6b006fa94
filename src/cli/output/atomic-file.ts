/** A file that comes to be all at once: written beside its place, on disk before it is moved. */
import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { toSystemReason } from '../../system/system-error.ts';
import { isDatabaseOrOfStore } from '../../store/sqlite/data-folder.ts';
import { flushFile, flushFolder } from './to-disk.ts';

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
 * Opens a temporary file beside FILE, under a name of its own; `finish` makes it FILE, in place
 * of an older one, once it is on disk. It gets the permissions of the older one. A symbolic
 * link stays, and the file that it leads to is replaced.
 * @throws Error when it cannot be written, or would replace a database.
 */
export async function openWholeFile(file: string, cwd: string): Promise<Sink> {
  const fail = toFailure(file);
  const named = resolve(cwd, file);
  const path = await toTarget(named).catch(fail);
  const partPath = `${path}.${randomUUID()}.part`;
  const part = await openPart(path, partPath, named).catch(fail);
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

/**
 * @throws Error if FILE is something that must not be replaced: a question whether to overwrite
 * it would mislead.
 */
export async function requireReplaceable(file: string, cwd: string): Promise<void> {
  const named = resolve(cwd, file);
  await toTarget(named)
    .then((path) => findReplaced(path, named))
    .catch(toFailure(file));
}

function toFailure(file: string): (cause: unknown) => never {
  return (cause) => {
    throw new Error(`Cannot write ${file}: ${toSystemReason(cause)}`, { cause });
  };
}

/**
 * Follows a symbolic link, which the rename would replace.
 * @throws Error for one whose file is missing.
 */
async function toTarget(path: string): Promise<string> {
  const target = await realpath(path).catch(() => undefined);
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  );
  if (target === undefined && isThere) throw new Error('it is a symbolic link, and its file cannot be found');
  return target ?? path;
}

/**
 * Resolves to what is at the path.
 * @param named the path before links were followed.
 * @throws Error if the path is that of something that a rename must not replace.
 */
async function findReplaced(path: string, named: string): Promise<Stats | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) throw new Error('it is a folder');
  // /dev/null for example.
  if (found?.isFile() === false) throw new Error('it is not a regular file');
  if ([path, named].some(isDatabaseOrOfStore))
    throw new Error('it is a database, or a file of a data folder; choose another name');
  return found;
}

async function openPart(path: string, partPath: string, named: string): Promise<FileHandle> {
  const found = await findReplaced(path, named);
  if (found === undefined) return open(partPath, 'wx');
  const part = await open(partPath, 'wx', 0o600);
  // open() takes away what the umask does. A disk without permissions refuses this one.
  await part.chmod(found.mode & 0o777).catch(() => undefined);
  return part;
}

async function moveIntoPlace(part: FileHandle, partPath: string, path: string): Promise<void> {
  await flushFile(part);
  await part.close();
  await rename(partPath, path);
  // The name, too, has to be on disk.
  await flushFolder(dirname(path));
}
