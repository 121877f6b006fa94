/** Creates the tables of schema.ts and takes its steps, forward only. `user_version` is how far. */
import type { DatabaseSync } from 'node:sqlite';
import { readPragma, readValue } from './connection.ts';
import { firstSchema, schemaSteps, tables } from './schema.ts';

/** "Plnt" in ASCII: marks the file as ours (sqlite.org/pragma.html#pragma_application_id). */
const applicationId = 0x506c6e74;

/**
 * Migrates the schema in one transaction.
 * @throws Error as `requireOurs`.
 */
export function migrate(db: DatabaseSync): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    const number = readSchema(db);
    if (number === undefined) db.exec(`${tables}; PRAGMA application_id = ${applicationId}`);
    for (const step of schemaSteps.slice((number ?? firstSchema) - firstSchema)) db.exec(step);
    if (number !== currentSchema()) db.exec(`PRAGMA user_version = ${currentSchema()}`);
    db.exec('COMMIT');
  } catch (error) {
    // SQLite rolls back by itself after some errors; a second rollback would hide the first error.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Checks a file, which may be new, before anything is changed.
 * @throws Error if it is not ours, newer than this program, or of a build before 1.0.0.
 */
export function requireOurs(db: DatabaseSync): void {
  readSchema(db);
}

/** @throws Error as `requireOurs`, and for a file that is new. */
export function requireTables(db: DatabaseSync): void {
  if (readSchema(db) === undefined) throw new Error('it is a database without tables, of no store');
}

/**
 * Returns whether the schema is exactly this program's.
 * @throws Error as `requireOurs`.
 */
export function hasCurrentSchema(db: DatabaseSync): boolean {
  return readSchema(db) === currentSchema();
}

/** @throws Error if the schema is not exactly this program's. */
export function requireCurrentSchema(db: DatabaseSync): void {
  requireTables(db);
  if (!hasCurrentSchema(db))
    throw new Error('it has the schema of an older version; start the service once to bring it up to date');
}

function currentSchema(): number {
  return firstSchema + schemaSteps.length;
}

/** Returns undefined if the file is empty. */
function readSchema(db: DatabaseSync): number | undefined {
  const number = Number(readPragma(db, 'user_version'));
  const owner = Number(readPragma(db, 'application_id'));
  const isEmpty = readValue(db, 'SELECT count(*) FROM sqlite_schema') === 0n;
  if (isEmpty && owner === 0 && number === 0) return undefined;
  if (owner !== applicationId) throw new Error('it is a database of another program');
  if (number < firstSchema) {
    throw new Error(
      `it was made by a build before 1.0.0 (schema ${number}; this program begins with ${firstSchema}); export the plants with that build, and import them with this one`,
    );
  }
  if (number > currentSchema()) {
    throw new Error(
      `it was written by a newer version (schema ${number}; this program knows ${currentSchema()}); install that version`,
    );
  }
  return number;
}
