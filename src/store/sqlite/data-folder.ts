/** The data folder: its path names, its modes, and the lock that keeps a second server out. What the files hold is not known here. */
import { accessSync, closeSync, constants, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export function databasePath(folder: string): string {
  return join(folder, 'plants.db');
}

/** The path of the database. @throws Error when the folder holds none. */
export function requireDatabase(folder: string): string {
  const path = databasePath(folder);
  if (!isDatabase(path)) throw new Error('it holds no store; start the service once to make one');
  return path;
}

/** An empty file is none: a start that was killed early may have left one. */
export function isDatabase(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Makes the folder (mode 0700) and an empty database file (mode 0600; SQLite gives its log the same) where they are missing. */
export function makeDataFolder(folder: string): void {
  let first: string | undefined;
  try {
    first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    if (isFileError(cause, 'EEXIST') || isFileError(cause, 'ENOTDIR')) throw new Error('it is not a folder', { cause });
    throw cause;
  }
  if (first !== undefined) syncNewFolders(folder, dirname(first));
}

/** SQLite syncs the folder of its files; that this folder exists after a loss of power takes the same of each one above that has a new entry. */
function syncNewFolders(folder: string, top: string): void {
  let path = resolve(folder);
  do {
    path = dirname(path);
    const descriptor = openSync(path, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } while (path !== resolve(top));
}

/**
 * Takes the lock of the folder, which the kernel frees when the process ends in whatever way. Returns the function that frees it earlier.
 * Call it before anything opens the database file.
 * @throws Error when another process holds it.
 */
export function lockDataFolder(folder: string): () => void {
  const path = join(folder, 'plants.lock');
  makeFile(path);
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    if (cause instanceof Error && 'errcode' in cause && cause.errcode === 5) {
      throw new Error('another plant-store serves it already', { cause });
    }
    throw cause;
  }
  makeFile(databasePath(folder));
  return () => lock.close();
}

/** Opening a SQLite file with `fs` would drop the process's locks on it when it is closed; one that exists is therefore left alone. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!isFileError(error, 'EEXIST')) throw error;
    // SQLite would take a file that it may not write to for reading only, and its lock would keep nobody out.
    accessSync(path, constants.R_OK | constants.W_OK);
  }
}

function isFileError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
