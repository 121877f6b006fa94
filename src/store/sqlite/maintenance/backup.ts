/** Backup and restore of the database file. Each writes a copy, verifies it, then renames it. */
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { checkDatabase } from './check.ts';
import {
  leaveLogMode,
  walBytesOf,
  openStored,
  removeDatabase,
  removeLog,
  toImmutable,
  withCopy,
} from './database-file.ts';
import { readValue } from '../connection.ts';
import {
  databasePath,
  isBusy,
  isDatabase,
  isOfDataFolder,
  isStoreName,
  lastBackupPath,
  lockDataFolder,
  requireDatabase,
} from '../data-folder.ts';
import { giveToOwner, makeDataFolder, sync } from '../folder-access.ts';
import { migrate, requireCurrentSchema, requireOurs } from '../migrations.ts';
import type { StoreReport } from '../../store-report.ts';

/**
 * Copies a consistent snapshot of the store, also one of an older version, even while a service
 * writes to it. Resolves once the
 * copy is verified and on disk.
 * @throws Error if there is no store, or the copy is damaged or cannot be written; keeps an
 * existing file.
 */
export async function backupDatabase(folder: string, file: string): Promise<StoreReport> {
  const database = requireDatabase(folder);
  if (isFolder(file)) throw new Error('it is a folder; name a file in it');
  // A rename would replace it, /dev/null for example.
  if (existsSync(file) && !statSync(file).isFile()) throw new Error('it is not a regular file; choose another name');
  if (!isFolder(dirname(file))) throw new Error(`there is no folder ${dirname(file)}`);
  if (isOfStore(folder, file)) throw new Error('this is a file of the store itself; choose another name');
  if (existsSync(`${file}-shm`))
    throw new Error('this is a store that is open in another process; choose another name');
  // A rename would replace all that it holds.
  if (isOfDataFolder(file)) throw new Error('this is a file of another store; choose another name');
  // Copy through SQLite: a plain file copy would be torn and miss the WAL.
  const source = openStored(database);
  try {
    // A backup belongs before an upgrade, which the first start of a newer version is.
    requireOurs(source);
    return await withCopy(source, dirname(file), 'choose another disk', (copy) => {
      const report = requireSound(copy, 'the copy', requireOurs);
      sync(copy);
      putInPlace(copy, file);
      noteBackup(folder);
      return report;
    });
  } finally {
    source.close();
  }
}

/** The time of the last backup is that of the last change of an empty file. */
function noteBackup(folder: string): void {
  const path = lastBackupPath(folder);
  try {
    writeFileSync(path, '', { mode: 0o600 });
    giveToOwner(path);
  } catch {
    // On a read-only disk the backup counts all the same; what watches its age says that it is old.
  }
}

export interface Restored {
  readonly report: StoreReport;
  readonly keptAs: string | undefined;
  /** Of the newest change of a plant, in milliseconds since 1970; what is newer is lost. */
  readonly lastChangeAt: number | undefined;
  readonly webhooks: number;
}

/**
 * Puts a backup, also one of an older version, into the data folder. Keeps an existing store as
 * `keptAs`, and its WAL if it cannot be merged into the file.
 * @throws Error if the backup is damaged, the folder in use, the existing store cannot be kept, or
 * `isForced` is false.
 */
export function restoreDatabase(folder: string, file: string, isForced: boolean, suffix: string): Restored {
  if (!existsSync(file)) throw new Error('there is no such file');
  if (isFolder(file)) throw new Error('it is a folder; name the file of a backup');
  if (!isDatabase(file)) throw new Error('the file is empty');
  if (hasWal(file)) throw new Error('the file has a log beside it: it is a store that was not closed, not a backup');
  const target = databasePath(folder);
  const isThere = isDatabase(target);
  if (isThere && !isForced)
    throw new Error('the data folder already holds a store; --force replaces it and keeps a copy');
  // Verify before writing to the folder. Immutable: SQLite creates no files next to the backup.
  requireSound(toImmutable(file), 'the backup', requireOurs);
  makeDataFolder(folder);
  const part = `${target}.part`;
  const unlock = lockDataFolder(folder);
  try {
    removeDatabase(part);
    copyFileSync(file, part);
    chmodSync(part, 0o600);
    giveToOwner(part);
    const prepared = prepareStore(part);
    const report = requireSound(part, 'the copy');
    const keptAs = isThere ? `${target}.${suffix}` : undefined;
    // Now, because it takes long: another process may change a token until the rename.
    sync(part);
    if (keptAs !== undefined) keep(target, keptAs);
    // SQLite would replay the old store's WAL into the new one.
    removeLog(target);
    putInPlace(part, target);
    return { report, keptAs, ...prepared };
  } finally {
    removeDatabase(part);
    unlock();
  }
}

/** Brings the backup of an older version up to date, and begins a change log. */
function prepareStore(path: string): Pick<Restored, 'lastChangeAt' | 'webhooks'> {
  const db = new DatabaseSync(path, { readBigInts: true });
  try {
    migrate(db);
    // A reader of changes newer than the backup must not take the next ones for their successors.
    renewPositions(db);
    const at = readValue(db, 'SELECT max(at) FROM (SELECT at FROM changes ORDER BY position DESC LIMIT 1)');
    return {
      lastChangeAt: at === null ? undefined : Number(at),
      webhooks: Number(readValue(db, 'SELECT count(*) FROM webhooks')),
    };
  } finally {
    db.close();
  }
}

/**
 * Gives the change log a new identity, also in the places of webhooks: what they had not delivered is
 * in this log, with the same numbers.
 */
function renewPositions(db: DatabaseSync): void {
  const renew = (table: string): string =>
    `UPDATE ${table} SET document = json_set(document, '$.position', renewed.identity || substr(document ->> 'position', 9))
     FROM renewed WHERE substr(document ->> 'position', 1, 9) = (SELECT identity FROM change_log) || '-'`;
  db.exec(
    `BEGIN;
     CREATE TEMP TABLE renewed AS SELECT lower(hex(randomblob(4))) AS identity;
     ${renew('webhooks')};
     ${renew('webhook_progress')};
     ${renew('webhook_deliveries')};
     UPDATE change_log SET identity = (SELECT identity FROM renewed);
     COMMIT`,
  );
}

/** Returns whether a service may have the path open, or needs the file. */
function isOfStore(folder: string, file: string): boolean {
  // A symbolic link may lead to the folder.
  const isInside = realpathSync(dirname(file)) === realpathSync(folder);
  return isInside && isStoreName(file);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function hasWal(path: string): boolean {
  // SQLite follows a link, and keeps the WAL beside the database.
  return walBytesOf(realpathSync(path)) > 0;
}

/** Endings of a database's files; SQLite finds them by the first one's name. */
const storeEndings = ['', '-wal', '-journal'] as const;

/**
 * Gives the store a second name, including its WAL. The first name stays, so that a store always
 * exists.
 * @throws Error if another process has it open, or a file cannot be kept; nothing is kept then.
 */
function keep(path: string, keptAs: string): void {
  try {
    // Merges the WAL of a killed service into the file.
    leaveLogMode(path);
  } catch (cause) {
    if (isBusy(cause)) throw new Error('the existing store is open in another process', { cause });
    // The disk is full or damaged, or the store is damaged: keep the WAL as it is.
  }
  const made: string[] = [];
  try {
    for (const ending of storeEndings) {
      if (ending !== '' && !existsSync(path + ending)) continue;
      addName(path + ending, keptAs + ending);
      made.push(keptAs + ending);
    }
    sync(dirname(keptAs));
  } catch (error) {
    for (const name of made) rmSync(name, { force: true });
    throw error;
  }
}

/** @throws Error if the new name exists. */
function addName(path: string, name: string): void {
  try {
    linkSync(path, name);
    return;
  } catch (error) {
    if (existsSync(name)) throw error;
  }
  // Not every file system has hard links.
  try {
    copyFileSync(path, name, constants.COPYFILE_EXCL);
    giveToOwner(name);
    sync(name);
  } catch (error) {
    rmSync(name, { force: true });
    throw error;
  }
}

/** @throws Error with the first problem. */
function requireSound(path: string, what: string, requireSchema = requireCurrentSchema): StoreReport {
  const report = checkDatabase(path, requireSchema);
  if (report.problems[0] !== undefined) throw new Error(`${what} is not sound: ${report.problems[0]}`);
  return report;
}

/** Renames a file whose content is on disk, then flushes the new name. */
function putInPlace(part: string, target: string): void {
  renameSync(part, target);
  sync(dirname(target));
}
