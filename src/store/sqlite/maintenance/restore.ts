/** Restore of the database file: a verified copy of a backup takes the place of the database, which is kept. */
import { chmodSync, constants, copyFileSync, existsSync, linkSync, realpathSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readValue } from '../connection.ts';
import { databasePath, isBusy, isDatabase, lockDataFolder, removeAddress, sizeOf } from '../data-folder.ts';
import { giveToOwner, makeDataFolder, sync } from '../folder-access.ts';
import { migrate, requireTables } from '../migrations.ts';
import type { CheckResult } from '../../check-result.ts';
import { hasLogMode, requireOwnLog } from '../store-presence.ts';
import { requireSound } from './check.ts';
import {
  isFolder,
  leaveLogMode,
  putInPlace,
  removeDatabase,
  removeLog,
  toImmutable,
  walBytesOf,
} from './database-file.ts';

export interface Restored {
  readonly check: CheckResult;
  readonly keptAs: string | undefined;
  /** The time of the newest change, in milliseconds since 1970; newer changes are lost. */
  readonly lastChangeAt: number | undefined;
  readonly webhooks: number;
  /** Whether the file was copied without `backup`: of a running service, it lacks what was in the log. */
  readonly isPlainCopy: boolean;
}

/**
 * Puts a backup, also one of an older version, into the data folder. Keeps an existing store as
 * `keptAs`, and its WAL if it cannot be merged into the file, or is all that is left of the store.
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
  requireSound(toImmutable(file), 'the backup', requireTables);
  makeDataFolder(folder);
  const part = `${target}.part`;
  const unlock = lockDataFolder(folder);
  try {
    requireOwnLog(folder);
    removeAddress(folder);
    removeDatabase(part);
    copyFileSync(file, part);
    chmodSync(part, 0o600);
    giveToOwner(part);
    const prepared = prepareStore(part);
    const check = requireSound(part, 'the copy');
    // Now, because it takes long: another process may change a token until the rename.
    sync(part);
    const keptAs = keep(target, `${target}.${suffix}`);
    // SQLite would replay the old store's WAL into the new one.
    removeLog(target);
    putInPlace(part, target);
    return { check, keptAs, ...prepared, isPlainCopy: hasLogMode(file) };
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
 * Gives the change log a new identity, also in the positions of webhooks: what they had not delivered
 * is in this log, with the same numbers.
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

function hasWal(path: string): boolean {
  // SQLite follows a link, and keeps the WAL beside the database.
  return walBytesOf(realpathSync(path)) > 0;
}

/** Endings of a database's files; SQLite finds them by the first one's name. */
const storeEndings = ['', '-wal', '-journal'] as const;

/**
 * Gives what there is of the store a second name, including its WAL. The first name stays, so that a
 * store always exists. Returns the name of the database, or else of the log; undefined if there is none.
 * @throws Error if another process has it open, or a file cannot be kept; nothing is kept then.
 */
function keep(path: string, keptAs: string): string | undefined {
  try {
    // Merges the WAL of a killed service into the file. SQLite would remove the WAL of an empty
    // file.
    if (isDatabase(path)) leaveLogMode(path);
  } catch (cause) {
    if (isBusy(cause)) throw new Error('the existing store is open in another process', { cause });
    // The disk is full or damaged, or the store is damaged: keep the WAL as it is.
  }
  const made: string[] = [];
  try {
    for (const ending of storeEndings) {
      if (sizeOf(path + ending) === 0) continue;
      addName(path + ending, keptAs + ending);
      made.push(keptAs + ending);
    }
    sync(dirname(keptAs));
  } catch (error) {
    for (const name of made) rmSync(name, { force: true });
    throw error;
  }
  return made[0];
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
