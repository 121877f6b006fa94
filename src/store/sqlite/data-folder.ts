/** The data folder: paths, modes, and the lock that keeps a second server out. Does not read plants. */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { platform } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from './error-code.ts';

export function databasePath(folder: string): string {
  return join(folder, 'plants.db');
}

/** The path of the database. @throws Error when the folder holds none. */
export function requireDatabase(folder: string): string {
  const path = databasePath(folder);
  if (!isDatabase(path)) throw new Error('it holds no store; start the service once to create one');
  return path;
}

/** False for an empty file: a start that was killed early may leave one. */
export function isDatabase(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * Makes the folder where it is missing, and accessible for its owner only (mode 0700).
 * @throws Error when other users can access a folder that is not the store's alone.
 */
export function makeDataFolder(folder: string): void {
  let first: string | undefined;
  try {
    first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    if (isFileError(cause, 'EEXIST') || isFileError(cause, 'ENOTDIR')) throw new Error('it is not a folder', { cause });
    throw cause;
  }
  if (first !== undefined) syncNewFolders(folder, dirname(first));
  else makePrivate(folder);
}

/** Files of a store, and what a fresh disk holds: nothing that a change of the folder's mode could harm. */
const ownNames = /^(?:plants\.|initial-token|lost\+found$)/;

/** Takes the access of other users away. A group keeps its access if the folder belongs to another user, as mounted volumes do. */
function makePrivate(folder: string): void {
  const { mode } = statSync(folder);
  // Windows has other permissions.
  if (platform() === 'win32' || (mode & 0o077) === 0) return;
  const opening = `other users can access it (mode 0${(mode & 0o777).toString(8)}), and it`;
  if (!readdirSync(folder).every((name) => ownNames.test(name)))
    throw new Error(`${opening} holds other files; use a folder of its own, or run: chmod 700 ${folder}`);
  try {
    chmodSync(folder, 0o700);
  } catch (cause) {
    if (!isFileError(cause, 'EPERM')) throw cause;
    if ((mode & 0o007) !== 0)
      throw new Error(`${opening} belongs to another user, who can run: chmod 700 ${folder}`, { cause });
  }
}

/** SQLite syncs the folder of its files. The folders above with a new entry need that too, to survive a power loss. */
function syncNewFolders(folder: string, top: string): void {
  let path = resolve(folder);
  do {
    path = dirname(path);
    sync(path);
  } while (path !== resolve(top));
}

/** Flushes a file or a folder to disk. */
export function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Locks the folder until the returned function is called, or the process ends in any way.
 * Call it before anything opens the database file.
 * @throws Error when another process has locked it.
 */
export function lockDataFolder(folder: string): () => void {
  const path = lockPath(folder);
  const isNew = makeFile(path);
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    // Somebody may have deleted the file that another server has locked: then only the database tells.
    if (isNew && isDatabase(databasePath(folder))) requireUnused(databasePath(folder));
  } catch (cause) {
    // So that the next start looks at the database too.
    if (isNew) rmSync(path, { force: true });
    lock.close();
    if (isBusy(cause)) throw new Error('it is in use by another plant-store process', { cause });
    throw cause;
  }
  makeFile(databasePath(folder));
  return () => lock.close();
}

/** @throws Error of SQLite, "busy", when any process has the database open. */
function requireUnused(path: string): void {
  const db = new DatabaseSync(path, { timeout: 1_000 });
  try {
    // With a write-ahead log, reading in this mode needs the file exclusively (sqlite.org/wal.html#noshm).
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch (error) {
    // Any other failure is reported by whatever opens the database next.
    if (isBusy(error)) throw error;
  } finally {
    db.close();
  }
}

/**
 * Returns a function that throws StoreError `store_unavailable` once the folder, the database or the lock is no longer at its path: what is
 * written then would be lost. It takes two calls of `stat`. Call this while the folder is locked.
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

function lockPath(folder: string): string {
  return join(folder, 'plants.lock');
}

/** Returns whether the file is new. Opening an existing SQLite file with `fs` and closing it would drop the process's locks on it. */
function makeFile(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch (error) {
    if (!isFileError(error, 'EEXIST')) throw error;
    // SQLite would open a read-only file for reading, and such a lock keeps nobody out.
    accessSync(path, constants.R_OK | constants.W_OK);
    return false;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}

function isFileError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
