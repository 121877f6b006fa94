/** A database as one file: made by a copy, freed of its log, removed with what SQLite put beside it. */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

/** Matches the names of temporary copies and of SQLite's files beside them. */
const copyNames = /^plants\.copy-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-wal|-shm|-journal)?$/;
/** Age at which a copy is left over, in milliseconds. No command runs for a day without writing to its copy. */
const copyAgeMsMax = 24 * 60 * 60 * 1_000;

/**
 * Copies a consistent snapshot to a temporary file in `folder` (mode 0600, rollback mode), under a
 * name of its own. Removes it after `use`, which may rename it.
 * @throws Error if it cannot be written; what `use` throws.
 */
export async function withCopy<Result>(
  source: DatabaseSync,
  folder: string,
  use: (copy: string) => Result,
): Promise<Result> {
  removeLeftCopies(folder);
  const copy = join(folder, `plants.copy-${randomUUID()}`);
  try {
    closeSync(openSync(copy, 'wx', 0o600));
    // All pages in one step: otherwise each write of a busy service restarts the copy.
    await backup(source, copy, { rate: 2 ** 31 - 1 });
    leaveLogMode(copy);
    return use(copy);
  } finally {
    removeDatabase(copy);
  }
}

/** Removes the copies of killed commands. */
function removeLeftCopies(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!copyNames.test(name)) continue;
    const path = join(folder, name);
    const writtenAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    try {
      if (Date.now() - writtenAt > copyAgeMsMax) rmSync(path, { force: true });
    } catch {
      // It belongs to another user; it is in nobody's way.
    }
  }
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
