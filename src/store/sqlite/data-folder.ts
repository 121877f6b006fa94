/** The data folder: its path names, its modes, and the lock that keeps a second server out. What the files hold is not known here. */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export function databasePath(folder: string): string {
  return join(folder, 'plants.db');
}

/** Makes the folder (mode 0700) and an empty database file (mode 0600; SQLite gives its log the same) where they are missing. */
export function makeDataFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
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
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
