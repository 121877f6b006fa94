/**
 * The address of the service that has a data folder open: a file beside the lock, so that
 * commands send the token of the folder to no other service.
 */
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { addressPath, isBusy, lockPath } from './data-folder.ts';

/**
 * Returns the URL of the service; undefined if none has the folder open, it does not listen yet,
 * or this user may not read the folder.
 */
export function findServiceAddress(folder: string): string | undefined {
  try {
    const url = readFileSync(addressPath(folder), 'utf8').trim();
    // One that was killed leaves its address; another program may listen there by now.
    return isLocked(lockPath(folder)) ? url : undefined;
  } catch {
    return undefined;
  }
}

function isLocked(path: string): boolean {
  const lock = new DatabaseSync(path, { readOnly: true, timeout: 0 });
  try {
    lock.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    lock.close();
  }
}
