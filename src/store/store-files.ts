/** The files of a data folder that others than the store look at. */
import { readFileSync } from 'node:fs';
import { addressPath, databasePath, isLocked, lastBackupPath, lockPath } from './sqlite/data-folder.ts';

/** The database and its write-ahead log. */
export function databaseFiles(folder: string): readonly string[] {
  const path = databasePath(folder);
  return [path, `${path}-wal`];
}

/** The file whose modification time is the time of the last backup. */
export function lastBackupFile(folder: string): string {
  return lastBackupPath(folder);
}

/** The first start creates it, and nothing changes it. */
export function firstStartFile(folder: string): string {
  return lockPath(folder);
}

/** A service writes its URL to it; unlocking the folder removes it. */
export function addressFile(folder: string): string {
  return addressPath(folder);
}

/**
 * Returns the URL of the service that has the folder open, so that commands send the token of the
 * folder to no other one; undefined if none has, it does not listen yet, or this user may not
 * read the folder.
 */
export function findServiceAddress(folder: string): string | undefined {
  try {
    const url = readFileSync(addressPath(folder), 'utf8').trim();
    // A killed service leaves its address behind; another program may listen there by now.
    return isLocked(folder) ? url : undefined;
  } catch {
    return undefined;
  }
}
