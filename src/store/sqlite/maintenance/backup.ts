/** Backup and restore of the database file. Each writes beside its target, verifies, and only then puts the result in place. */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { checkDatabase, type StoreReport } from './check.ts';
import { openForReading } from '../connection.ts';
import { databasePath, isDatabase, lockDataFolder, makeDataFolder, requireDatabase } from '../data-folder.ts';
import { requireCurrentSchema } from '../migrations.ts';

/**
 * Copies the store as it is at one moment, also while a service writes to it. Resolves to what the copy holds once it is verified and on disk.
 * @throws Error when there is no store, or the copy cannot be written or is not sound; an earlier file of that name is then still there.
 */
export async function backupDatabase(folder: string, file: string): Promise<StoreReport> {
  const database = requireDatabase(folder);
  if (isFolder(file)) throw new Error('it is a folder; name a file in it');
  if (!isFolder(dirname(file))) throw new Error(`there is no folder ${dirname(file)}`);
  if (isOfStore(folder, file)) throw new Error('this is a file of the store itself; choose another name');
  if (existsSync(`${file}-shm`)) throw new Error('this is a store that somebody has open; choose another name');
  const part = `${file}.part`;
  // Read from a connection: a plain copy of the file would tear, and would miss the log.
  const source = openForReading(database);
  try {
    requireCurrentSchema(source);
    removeDatabase(part);
    closeSync(openSync(part, 'wx', 0o600));
    // All pages in one step, or a busy service would make the copy start again and again.
    await backup(source, part, { rate: 2 ** 31 - 1 });
    leaveLogMode(part);
    const report = requireSound(part, 'the copy');
    putInPlace(part, file);
    return report;
  } finally {
    source.close();
    removeDatabase(part);
  }
}

/**
 * Puts a backup into the data folder. A store that is there already is kept beside it, under the name that is returned.
 * @throws Error when the backup is not sound, when a service holds the folder, or when there is a store and `isForced` is false.
 */
export function restoreDatabase(
  folder: string,
  file: string,
  isForced: boolean,
  suffix: string,
): { readonly report: StoreReport; readonly keptAs: string | undefined } {
  if (!existsSync(file)) throw new Error('there is no such file');
  if (isFolder(file)) throw new Error('it is a folder; name the file of a backup');
  if (!isDatabase(file)) throw new Error('the file is empty');
  if (hasLog(file)) throw new Error('the file has a log beside it, so it is no backup but a store that was not closed');
  const target = databasePath(folder);
  const isThere = isDatabase(target);
  if (isThere && !isForced) throw new Error('the data folder holds a store already; --force puts it aside');
  // Before anything is made in the folder. Immutable: nobody writes to it, and nothing is to be made beside it either.
  requireSound(`${pathToFileURL(file).href}?immutable=1`, 'the backup');
  makeDataFolder(folder);
  const part = `${target}.part`;
  const unlock = lockDataFolder(folder);
  try {
    removeDatabase(part);
    copyFileSync(file, part);
    chmodSync(part, 0o600);
    const report = requireSound(part, 'the copy');
    const keptAs = isThere ? `${target}.${suffix}` : undefined;
    if (keptAs !== undefined) keep(target, keptAs);
    // The log of a store that somebody took away would be played back into this one.
    removeLog(target);
    putInPlace(part, target);
    return { report, keptAs };
  } finally {
    removeDatabase(part);
    unlock();
  }
}

/** Whether a path names what a service may have open. */
function isOfStore(folder: string, file: string): boolean {
  // A link may lead to the folder by another name.
  const isInside = realpathSync(dirname(file)) === realpathSync(folder);
  return isInside && /^plants\.(?:db|lock)(?:$|-|\.part)/.test(basename(file));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Gives the store a second name, so that there is one under the first name at each moment. @throws Error when another process reads it. */
function keep(path: string, keptAs: string): void {
  try {
    // Brings the log of a killed service into the file, so that the file alone is all.
    leaveLogMode(path);
  } catch (cause) {
    if (cause instanceof Error && 'errcode' in cause && cause.errcode === 5)
      throw new Error('another process reads the store that is there', { cause });
    // It is damaged, which may be the reason for restoring: then it is kept as far as it goes.
  }
  try {
    linkSync(path, keptAs);
  } catch {
    // Not every file system has links.
    copyFileSync(path, keptAs, constants.COPYFILE_EXCL);
    sync(keptAs);
  }
  sync(dirname(keptAs));
}

/** A database in rollback mode is one file; the service turns the write-ahead log on again when it opens it. */
function leaveLogMode(path: string): void {
  const db = new DatabaseSync(path);
  try {
    db.exec('PRAGMA journal_mode = DELETE');
  } finally {
    db.close();
  }
}

/** @throws Error with the first fault. */
function requireSound(path: string, what: string): StoreReport {
  const report = checkDatabase(path);
  if (report.faults[0] !== undefined) throw new Error(`${what} is not sound: ${report.faults[0]}`);
  return report;
}

/** Renames once the content is on disk, and makes the name durable too. */
function putInPlace(part: string, target: string): void {
  sync(part);
  renameSync(part, target);
  sync(dirname(target));
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function removeDatabase(path: string): void {
  rmSync(path, { force: true });
  removeLog(path);
}

function removeLog(path: string): void {
  for (const ending of ['-wal', '-shm', '-journal']) rmSync(path + ending, { force: true });
}
