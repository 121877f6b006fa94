/** The files of a data folder that others than the store look at. */
import { addressPath, databasePath, lastBackupPath } from './sqlite/data-folder.ts';

export { findServiceAddress } from './sqlite/service-address.ts';

/** The database and its write-ahead log. */
export function databaseFiles(folder: string): readonly string[] {
  const path = databasePath(folder);
  return [path, `${path}-wal`];
}

/** Its last change is the time of the last backup. */
export function lastBackupFile(folder: string): string {
  return lastBackupPath(folder);
}

/** A service writes its URL to it; unlocking the folder removes it. */
export function addressFile(folder: string): string {
  return addressPath(folder);
}
