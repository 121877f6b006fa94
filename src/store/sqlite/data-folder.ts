/** The data folder: paths, and the lock against a second server. Does not read plants. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isSystemError } from '../../system/system-error.ts';
import { StoreError } from './error-code.ts';
import { giveToOwner } from './folder-access.ts';

export function databasePath(folder: string): string {
  return join(folder, 'plants.db');
}

/** Returns false for an empty file, which a start that was killed early may leave. */
export function isDatabase(path: string): boolean {
  return sizeOf(path) > 0;
}

/** Returns 0 for a file that is missing. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** A file whose last change was the last backup. */
export function lastBackupPath(folder: string): string {
  return join(folder, 'plants.last-backup');
}

/** A file with the URL of the service that has the folder open; see `findServiceAddress`. */
export function addressPath(folder: string): string {
  return join(folder, 'plants.address');
}

/** The names of files that a service may have open, or needs; a backup beside them has another. */
const storeNames =
  /^(?:plants\.(?:copy-|(?:reserve|address|last-backup)$|(?:db|lock)(?:$|-|\.part))|(?:webhook-key|initial-token)$)/;

export function isStoreName(path: string): boolean {
  return storeNames.test(basename(path));
}

/** Returns whether the file is one that the data folder around it has or needs. */
export function isOfDataFolder(path: string): boolean {
  return isStoreName(path) && existsSync(lockPath(dirname(path)));
}

/** First bytes of a database (sqlite.org/fileformat.html#the_database_header). */
const databaseStart = 'SQLite format 3\0';

/**
 * Returns whether the file is a database, such as a backup, or has the name of one that the
 * data folder around it needs.
 */
export function isDatabaseOrOfStore(path: string): boolean {
  // Before the file is opened: closing it would drop this process's locks on it.
  if (isOfDataFolder(path)) return true;
  if (!existsSync(path)) return false;
  const file = openSync(path, 'r');
  try {
    const start = Buffer.alloc(databaseStart.length);
    readSync(file, start);
    return start.toString('latin1') === databaseStart;
  } finally {
    closeSync(file);
  }
}

/**
 * Locks the folder until the returned function is called or the process ends. Call it before
 * anything opens the database file.
 * @throws Error if another process has locked it, or the database is a symbolic link: its WAL and
 * another folder's lock may be beside the file that it leads to.
 */
export function lockDataFolder(folder: string): () => void {
  if (lstatSync(databasePath(folder), { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new Error('plants.db is a symbolic link; link the whole folder instead');
  const path = lockPath(folder);
  const isNew = makeFile(path);
  const lock = new DatabaseSync(path, { timeout: lockMs });
  try {
    // A journal in a file would need space on the disk, which may be full.
    lock.exec('PRAGMA journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
    // If someone deleted the locked file of another server, only the database shows that it runs.
    if (isNew && isDatabase(databasePath(folder))) requireUnused(databasePath(folder));
  } catch (cause) {
    // Makes the next start check the database again.
    if (isNew) rmSync(path, { force: true });
    lock.close();
    if (isBusy(cause)) throw new Error('it is in use by another plant-store process; stop it first', { cause });
    throw cause;
  }
  return () => lock.close();
}

/** Creates the database, empty, if it is missing. Call it while the folder is locked. */
export function makeDatabase(folder: string): void {
  makeFile(databasePath(folder));
}

/** Call it while the folder is locked. A service that was killed leaves its address. */
export function removeAddress(folder: string): void {
  rmSync(addressPath(folder), { force: true });
}

/** `isLocked` takes less, in milliseconds. */
const lockMs = 100;

/** Returns whether a process has locked the folder. @throws Error if it has no lock, or this user may not read it. */
export function isLocked(folder: string): boolean {
  const lock = new DatabaseSync(lockPath(folder), { readOnly: true, timeout: 0 });
  try {
    lock.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    lock.close();
  }
}

/** Returns whether a service, or a command that needs the folder for itself, has locked it. */
export function isServed(folder: string): boolean {
  try {
    return isLocked(folder);
  } catch {
    return false;
  }
}

/** @throws Error of SQLite ("busy") if any process has the database open. */
function requireUnused(path: string): void {
  const db = new DatabaseSync(path, { timeout: 1_000 });
  try {
    // In WAL mode, a read in this mode needs the file exclusively (sqlite.org/wal.html#noshm).
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch (error) {
    // Any other error is reported when the database is opened.
    if (isBusy(error)) throw error;
  } finally {
    db.close();
  }
}

/** Enough for the index of the WAL, which a start makes, in bytes. */
const reservedBytes = 65_536;

/** Uses the space that `reserveSpace` has kept. Returns whether there was some. */
export function releaseSpace(folder: string): boolean {
  const isKept = existsSync(reservePath(folder));
  rmSync(reservePath(folder), { force: true });
  return isKept;
}

/** Keeps the space of a closed store, so that it can be opened while the disk is full. */
export function reserveSpace(folder: string): void {
  try {
    writeFileSync(reservePath(folder), Buffer.alloc(reservedBytes), { mode: 0o600 });
    giveToOwner(reservePath(folder));
  } catch {
    // Another program has taken the space, or removed the folder.
    rmSync(reservePath(folder), { force: true });
  }
}

function reservePath(folder: string): string {
  return join(folder, 'plants.reserve');
}

/** Both copies of the header of SQLite's index of the WAL (sqlite.org/walformat.html), in bytes. */
const indexHeaderBytes = 96;

/**
 * Makes SQLite read the whole WAL again, also if another process, such as a backup, has the
 * database open. The index of the WAL notes what was copied to the database, and that may be
 * lost if its sync failed: the WAL still has it. Call before this process opens the database.
 */
export function discardWalIndex(path: string): void {
  let file: number;
  try {
    file = openSync(`${path}-shm`, 'r+');
  } catch (error) {
    // There is none, perhaps no more: the last process that closes the database removes it.
    if (isSystemError(error, 'ENOENT')) return;
    throw error;
  }
  try {
    writeSync(file, new Uint8Array(indexHeaderBytes), 0, indexHeaderBytes, 0);
  } finally {
    closeSync(file);
  }
}

/**
 * Returns a function that throws StoreError `store_unavailable` if the folder, the database or the
 * lock is no longer at its path: further writes would be lost. It calls `stat` twice. Call this
 * while the folder is locked.
 */
export function openPresenceCheck(folder: string): () => void {
  const database = identityOf(databasePath(folder));
  const lock = identityOf(lockPath(folder));
  return () => {
    const found = identityOf(lockPath(folder));
    if (identityOf(databasePath(folder)) !== database || (found !== undefined && found !== lock))
      throw new StoreError(
        'store_unavailable',
        `The data folder ${folder} was moved, removed or replaced while the service runs`,
      );
  };
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

export function lockPath(folder: string): string {
  return join(folder, 'plants.lock');
}

/** Whether the file is new. To open and close one with `fs` would drop SQLite's locks on it. */
function makeFile(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    giveToOwner(path);
    return true;
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
    // SQLite opens a read-only file for reading; such a lock excludes nobody.
    accessSync(path, constants.R_OK | constants.W_OK);
    return false;
  }
}

/** Returns whether another process or connection has locked the file. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}
