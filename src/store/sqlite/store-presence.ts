/** Whether a folder has a store, has lost its database, or is new. Nothing is created or removed here. */
import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs';
import { toShellWord } from '../../system/to-shell-word.ts';
import { databasePath, isDatabase, isServed, sizeOf } from './data-folder.ts';

/**
 * Names of what a folder has only after its database had tables: files of a service, of commands,
 * and other names of the database. A first start that is killed leaves none of them beside a
 * database without tables.
 */
const traceNames =
  /^(?:plants\.(?:reserve|address|last-backup|copy-.+|db\..+)|plants-\d{8}T\d{6}Z\.db|(?:initial-token|webhook-key)(?:\..+)?)$/;

/** The journal of a new database is a header without pages (sqlite.org/fileformat.html#the_rollback_journal). */
const journalHeaderBytes = 512;
/** Positions in the header of a database (sqlite.org/fileformat.html#the_database_header), in bytes. The first is 2 if it has a log, or else 1. */
const [readVersionAt, userVersionAt, applicationIdAt, headerBytes] = [19, 60, 68, 100];

/**
 * Returns the path of the database.
 * @throws Error with `remedy` if the folder has none; as `requireNotLost`.
 */
export function requireDatabase(
  folder: string,
  remedy = 'give another folder with --data-dir, or start the service once to create one',
): string {
  // A service that runs has looked. To open and close its file in its process would drop its locks.
  if (!isServed(folder)) requireNotLost(folder);
  const path = databasePath(folder);
  if (!isDatabase(path)) throw new Error(`it contains no store; ${remedy}`);
  return path;
}

/**
 * Call while no service runs, and before SQLite opens the database: it removes the log of an
 * empty one (decision ST6).
 * @throws Error with the remedies if the database is missing, empty or without tables beside what
 * only a store leaves; as `requireOwnLog`.
 */
export function requireNotLost(folder: string): void {
  requireOwnLog(folder);
  const problem = findProblem(databasePath(folder));
  if (problem === undefined) return;
  const found = [...findTraces(folder), ...findLog(databasePath(folder))];
  if (found.length === 0) return;
  const shown = found.slice(0, 5).join(', ') + (found.length > 5 ? ', ...' : '');
  throw new Error(
    `plants.db ${problem}, but the folder has files of a store (${shown}). Put plants.db back, or restore a backup: plant-store restore FILE --data-dir ${toShellWord(folder)}. For a new store, move these files elsewhere first`,
  );
}

/**
 * SQLite adds any log that is beside a database. It turns the log of a database on before it writes
 * one, and off after it has removed it. Call this while no service runs.
 * @throws Error with the remedies if the WAL belongs to another database.
 */
export function requireOwnLog(folder: string): void {
  const path = databasePath(folder);
  if (sizeOf(`${path}-wal`) > 0 && isDatabase(path) && !hasLogMode(path))
    throw new Error(
      `plants.db is not the file that plants.db-wal belongs to, such as a backup that was copied over it. Put the earlier plants.db back. To use this one, move it elsewhere and restore it: plant-store restore FILE --data-dir ${toShellWord(folder)} (the log is kept)`,
    );
}

/** Returns whether a service has had the file open: parts of its content may be in a log. A backup has none. */
export function hasLogMode(path: string): boolean {
  return readHeader(path)[readVersionAt] === 2;
}

/** Completes the sentence "plants.db ...". */
function findProblem(path: string): string | undefined {
  if (!isDatabase(path)) return existsSync(path) ? 'is empty' : 'is missing';
  // After a first start that was killed, the tables may be in the WAL only.
  if (sizeOf(`${path}-wal`) > 0) return undefined;
  const header = readHeader(path);
  const isNew = header.readInt32BE(userVersionAt) === 0 && header.readInt32BE(applicationIdAt) === 0;
  return isNew ? 'has no tables of a store' : undefined;
}

function findTraces(folder: string): readonly string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => traceNames.test(name))
        .toSorted()
    : [];
}

/** What SQLite writes only beside a database that is not empty. */
function findLog(path: string): readonly string[] {
  if (isDatabase(path)) return [];
  const isLeft = (ending: string): boolean => sizeOf(path + ending) > (ending === '-journal' ? journalHeaderBytes : 0);
  return ['-wal', '-shm', '-journal'].filter(isLeft).map((ending) => `plants.db${ending}`);
}

/** A shorter file is filled with zeros. */
function readHeader(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(headerBytes);
    readSync(file, header);
    return header;
  } finally {
    closeSync(file);
  }
}
