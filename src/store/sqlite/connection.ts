/**
 * Opens one connection to the database file with the settings that durability rests on, and reads each of them back.
 * Schema and statements are not here.
 */
import { DatabaseSync } from 'node:sqlite';

/**
 * Memory for pages, in KiB. Small for the writer, since SQLite walks its whole cache at the end of each transaction that has split a page;
 * what is not in it is read from the memory of the system (measured with a million plants: 50 us a create, 63 with 48 MiB).
 */
const pageCacheKib = { writing: 4_096, reading: 16_384 } as const;
/**
 * Bytes of a page in a new file. A plant at random costs a page of log and of checkpoint; with half of the usual 4,096 bytes the log holds twice
 * as many, and a checkpoint is as rare again. Smaller ones make lists and exports slower.
 */
const pageBytes = 2_048;
/**
 * Bytes to which SQLite shortens the log file when it begins to reuse it: less than the length from which on the checkpointer takes the log for
 * one that readers hold.
 */
const logBytesMax = 36_000_000;
/** How long a statement waits for another process that writes (the token commands), in milliseconds; their transactions take a few. */
const busyTimeoutMs = 5_000;

const everyConnection = { trusted_schema: [0n, 'OFF'], synchronous: [2n, 'FULL'] } as const;

/**
 * Opens the file for writing; it may be new. `requireOurs` looks at it before anything is changed.
 * @throws Error when a setting does not hold; what `requireOurs` throws.
 */
export function openForWriting(path: string, requireOurs: (db: DatabaseSync) => void): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs, readBigInts: true });
  try {
    requireOurs(db);
    // Only a file that is still empty takes it.
    db.exec(`PRAGMA page_size = ${pageBytes}`);
    if (readPragma(db, 'journal_mode = WAL') !== 'wal') throw new Error('journal_mode is not WAL');
    // The writer checkpoints by itself, between batches.
    if (readPragma(db, 'wal_autocheckpoint = 0') !== 0n) throw new Error('wal_autocheckpoint is not 0');
    db.exec(`PRAGMA journal_size_limit = ${logBytesMax}`);
    applySettings(db, pageCacheKib.writing);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens an existing file for reading. @throws Error when a setting does not hold. */
export function openForReading(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs, readOnly: true, readBigInts: true });
  try {
    applySettings(db, pageCacheKib.reading);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The one value of a PRAGMA. */
export function readPragma(db: DatabaseSync, pragma: string): unknown {
  return Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
}

function applySettings(db: DatabaseSync, cacheKib: number): void {
  db.exec(`PRAGMA cache_size = ${-cacheKib}`);
  for (const [name, [wanted, text]] of Object.entries(everyConnection)) {
    db.exec(`PRAGMA ${name} = ${text}`);
    if (readPragma(db, name) !== wanted) throw new Error(`${name} is not ${text}`);
  }
}
