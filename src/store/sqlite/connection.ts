/** Opens a connection with the settings that durability depends on, and verifies each. */
import { DatabaseSync } from 'node:sqlite';

/**
 * Page cache in KiB. Small for the writer: SQLite walks its cache after each transaction that
 * splits a page, and the page cache of the system serves the rest (measured with a million plants:
 * 50 us per create, 63 us with 48 MiB).
 */
const pageCacheKib = { writing: 4_096, reading: 16_384 } as const;
/**
 * Page size of a new file, in bytes. A create with a random id writes one page to the WAL and one
 * in a checkpoint; half the usual 4,096 halves both. Smaller pages slow down lists and exports.
 */
const pageBytes = 2_048;
/**
 * Size to which SQLite truncates the WAL when it restarts it, in bytes. Below the size at
 * which the checkpointer considers the WAL blocked by readers.
 */
const walBytesMax = 36_000_000;
/** How long a statement waits for the token commands of another process, in milliseconds. */
const busyTimeoutMs = 5_000;

const everyConnection = { trusted_schema: [0n, 'OFF'], synchronous: [2n, 'FULL'] } as const;

/**
 * Opens the file for writing; it may be new. Calls `requireOurs` before changing anything.
 * @throws Error if a setting cannot be applied; what `requireOurs` throws.
 */
export function openForWriting(path: string, requireOurs: (db: DatabaseSync) => void): DatabaseSync {
  return orClose(new DatabaseSync(path, { timeout: busyTimeoutMs, readBigInts: true }), (db) => {
    requireOurs(db);
    // Applies only to an empty file.
    db.exec(`PRAGMA page_size = ${pageBytes}`);
    if (readPragma(db, 'journal_mode = WAL') !== 'wal') throw new Error('journal_mode is not WAL');
    // The writer runs checkpoints itself, between commits.
    if (readPragma(db, 'wal_autocheckpoint = 0') !== 0n) throw new Error('wal_autocheckpoint is not 0');
    db.exec(`PRAGMA journal_size_limit = ${walBytesMax}`);
    applySettings(db, pageCacheKib.writing);
    return db;
  });
}

/** Opens an existing file for reading. @throws Error if a setting cannot be applied. */
export function openForReading(path: string): DatabaseSync {
  return orClose(new DatabaseSync(path, { timeout: busyTimeoutMs, readOnly: true, readBigInts: true }), (db) => {
    applySettings(db, pageCacheKib.reading);
    return db;
  });
}

/** Returns what `prepare` makes of a connection, which is closed if that fails. */
export function orClose<Result>(db: DatabaseSync, prepare: (db: DatabaseSync) => Result): Result {
  try {
    return prepare(db);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Returns the value of a PRAGMA. */
export function readPragma(db: DatabaseSync, pragma: string): unknown {
  return readValue(db, `PRAGMA ${pragma}`);
}

/** Returns the first column of the first row. */
export function readValue(db: DatabaseSync, sql: string): unknown {
  return Object.values(db.prepare(sql).get() ?? {})[0];
}

function applySettings(db: DatabaseSync, cacheKib: number): void {
  db.exec(`PRAGMA cache_size = ${-cacheKib}`);
  for (const [name, [wanted, text]] of Object.entries(everyConnection)) {
    db.exec(`PRAGMA ${name} = ${text}`);
    if (readPragma(db, name) !== wanted) throw new Error(`${name} is not ${text}`);
  }
}

/** Runs reads as one transaction: all see the same state. */
export function readTogether<Result>(db: DatabaseSync, read: () => Result): Result {
  db.exec('BEGIN');
  try {
    return read();
  } finally {
    // SQLite ends it by itself after some errors; a COMMIT would hide the error then.
    if (db.isTransaction) db.exec('COMMIT');
  }
}
