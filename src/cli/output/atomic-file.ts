/** A file that comes to be all at once: written beside its place, on disk before it is moved there. What is in it is not known here. */
import { randomUUID } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { toSystemReason } from '../../observe/system-error.ts';

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
 * @throws Error when it cannot be written.
 */
export async function openWholeFile(file: string, cwd: string): Promise<Sink> {
  const path = resolve(cwd, file);
  const partPath = `${path}.${randomUUID()}.part`;
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) throw new Error(`Cannot write ${file}: it is a folder`);
  // A rename would replace it, /dev/null for example.
  if (found?.isFile() === false) throw new Error(`Cannot write ${file}: it is not a regular file`);
  const part = await open(partPath, 'wx').catch((cause: unknown) => {
    throw new Error(`Cannot write ${file}: ${toSystemReason(cause)}`, { cause });
  });
  return {
    write: async (bytes) => {
      await part.writeFile(bytes);
      return true;
    },
    finish: async () => {
      await part.sync();
      await part.close();
      await rename(partPath, path);
      // The name, too, has to be on disk.
      const folder = await open(dirname(path), 'r');
      await folder.sync().finally(() => folder.close());
    },
    discard: async () => {
      await part.close();
      await rm(partPath, { force: true });
    },
  };
}
