/** A database as one file: made by a copy, freed of its log, removed with what SQLite put beside it. */
import { closeSync, openSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';

/**
 * Copies a consistent snapshot to a file of its own (mode 0600) in rollback mode; replaces an
 * existing one.
 * @throws Error if it cannot be written.
 */
export async function copyDatabase(source: DatabaseSync, file: string): Promise<void> {
  removeDatabase(file);
  closeSync(openSync(file, 'wx', 0o600));
  // All pages in one step: otherwise each write of a busy service restarts the copy.
  await backup(source, file, { rate: 2 ** 31 - 1 });
  leaveLogMode(file);
}

/** Without a write-ahead log a database is a single file. The service turns the log on again. */
export function leaveLogMode(path: string): void {
  const db = new DatabaseSync(path);
  try {
    db.exec('PRAGMA journal_mode = DELETE');
  } finally {
    db.close();
  }
}

export function removeDatabase(path: string): void {
  rmSync(path, { force: true });
  removeLog(path);
}

/** Removes the write-ahead log, its index and the rollback journal. */
export function removeLog(path: string): void {
  for (const ending of ['-wal', '-shm', '-journal']) rmSync(path + ending, { force: true });
}
