/** The files of a data folder that others than the store look at. */
import { databasePath, lastBackupPath } from './sqlite/data-folder.ts';

/** The database and its write-ahead log. */
export function databaseFiles(folder: string): readonly string[] {
  const path = databasePath(folder);
  return [path, `${path}-wal`];
}

/** Its last change is the time of the last backup. */
export function lastBackupFile(folder: string): string {
  return lastBackupPath(folder);
}
