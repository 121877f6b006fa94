/** A database as one file: read where it is, copied, freed of its WAL, removed. */
import { randomUUID } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { isSystemError } from '../../../system/system-error.ts';
import { openForReading, readPragma } from '../connection.ts';
import { sizeOf } from '../data-folder.ts';
import { toErrorCode } from '../error-code.ts';
import { sync } from '../folder-access.ts';

/** Matches the names of temporary copies and of SQLite's files beside them. */
const copyNames = /^plants\.copy-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-wal|-shm|-journal)?$/;
/** Age at which a copy is left over, in milliseconds: no command writes to one for so long. */
const copyAgeMsMax = 24 * 60 * 60 * 1_000;

/** Returns whether nobody can write beside the file, because its file system is read-only. */
export function isOnReadOnlyDisk(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    return false;
  } catch (error) {
    return isSystemError(error, 'EROFS');
  }
}

/** The address of a file that nobody writes to. SQLite then makes no file beside it. */
export function toImmutable(path: string): string {
  return `${pathToFileURL(path).href}?immutable=1`;
}

/**
 * Opens the database of a data folder for reading, also where SQLite cannot make the index of a
 * WAL, because the file system is read-only or full.
 * @throws Error if it has a WAL there.
 */
export function openStored(path: string): DatabaseSync {
  try {
    return openForReading(path);
  } catch (cause) {
    // A service that runs has a WAL.
    if (!isOfLogIndex(cause)) throw cause;
    if (walBytesOf(path) === 0) return openForReading(toImmutable(path));
    const isFull = toErrorCode(cause) === 'store_full';
    if (!isFull && !isOnReadOnlyDisk(path)) throw cause;
    throw new Error(
      `its ${isFull ? 'disk is full' : 'file system is read-only'}, and SQLite must write to read the log beside the database: copy plants.db and plants.db-wal to another folder, and name it with --data-dir`,
      { cause },
    );
  }
}

/** Whether SQLite could not open, make or extend a file: CANTOPEN, IOERR_SHM…, READONLY. */
function isOfLogIndex(error: unknown): boolean {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return false;
  return [8, 14].includes(error.errcode & 0xff) || [4618, 4874, 5386].includes(error.errcode);
}

export function walBytesOf(path: string): number {
  return sizeOf(`${path}-wal`);
}

/**
 * Copies a consistent snapshot to a temporary file in `folder` (mode 0600, rollback mode), under a
 * name of its own. Removes it after `use`, which may rename it.
 * @param hint what to do if there is too little space.
 * @throws Error if it cannot be written; what `use` throws.
 */
export async function withCopy<Result>(
  source: DatabaseSync,
  folder: string,
  hint: string,
  use: (copy: string) => Result,
): Promise<Result> {
  removeLeftCopies(folder);
  requireSpace(source, folder, hint);
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

/** @throws Error before a copy fills the disk. */
function requireSpace(source: DatabaseSync, folder: string, hint: string): void {
  const needed = Number(readPragma(source, 'page_count')) * Number(readPragma(source, 'page_size'));
  const { bavail, bsize, blocks } = statfsSync(folder);
  const free = bavail * bsize;
  const toMib = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  // Some file systems do not say how large they are.
  if (blocks > 0 && free < needed)
    throw new Error(`a copy of the database needs ${toMib(needed)} in ${folder}, and ${toMib(free)} are free; ${hint}`);
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
      // A copy that belongs to another user stays.
    }
  }
}

/** Without a write-ahead log a database is a single file. The service turns it on again. */
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

/** Renames a file whose content is on disk, then flushes the new name. */
export function putInPlace(part: string, target: string): void {
  renameSync(part, target);
  sync(dirname(target));
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
