/** The schema as ordered, forward-only steps. `user_version` is the number of applied steps. */
import type { DatabaseSync } from 'node:sqlite';
import { readPragma, readValue } from './connection.ts';

/** "Plnt" in ASCII: marks the file as ours (sqlite.org/pragma.html#pragma_application_id). */
const applicationId = 0x506c6e74;

export const schemaSteps: readonly string[] = [
  `CREATE TABLE plants (
     id INTEGER PRIMARY KEY,
     name TEXT NOT NULL,
     tag TEXT
   ) STRICT;
   CREATE INDEX plants_by_tag ON plants (tag) WHERE tag IS NOT NULL;
   -- Plants by normalised name. A separate table keeps the rows of plants small.
   CREATE TABLE plant_names (
     key TEXT NOT NULL,
     id INTEGER NOT NULL,
     PRIMARY KEY (key, id)
   ) STRICT, WITHOUT ROWID;
   -- Updated in each transaction, so that counting costs nothing.
   CREATE TABLE tag_counts (
     tag TEXT PRIMARY KEY,
     plants INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE plant_count (
     only_row INTEGER PRIMARY KEY CHECK (only_row = 0),
     plants INTEGER NOT NULL
   ) STRICT;
   INSERT INTO plant_count VALUES (0, 0);
   CREATE TABLE tokens (
     id TEXT PRIMARY KEY,
     name TEXT NOT NULL,
     hash TEXT NOT NULL UNIQUE,
     scopes TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     expires_at INTEGER,
     revoked_at INTEGER,
     last_used_at INTEGER
   ) STRICT;`,
  `-- A table, not an index, so that it can be filled after the plants.
   CREATE TABLE plant_tags (
     tag TEXT NOT NULL,
     id INTEGER NOT NULL,
     PRIMARY KEY (tag, id)
   ) STRICT, WITHOUT ROWID;
   INSERT INTO plant_tags SELECT tag, id FROM plants WHERE tag IS NOT NULL ORDER BY tag, id;
   DROP INDEX plants_by_tag;
   -- Pending entries of the two indexes: 1 adds an entry, -1 removes it.
   CREATE TABLE index_log (
     n INTEGER PRIMARY KEY,
     change INTEGER NOT NULL,
     id INTEGER NOT NULL,
     tag TEXT,
     key TEXT
   ) STRICT;`,
  `DROP TABLE index_log;
   DROP TABLE plant_tags;
   DROP TABLE plant_names;
   -- The plants are stored once, in their own table: no content, no sizes and no positions here. Tokens come from search-tokens.ts; the
   -- tokenizer only splits them at spaces. Searches of one to three characters are indexed themselves. Measured at a million random ids in
   -- batches of 32: 20 us a plant, 12 without the index.
   CREATE VIRTUAL TABLE plant_words USING fts5(
     tokens, content='', columnsize=0, detail='none', prefix='1 2 3', tokenize="ascii tokenchars '_'"
   );
   INSERT INTO plant_words (plant_words, rank) VALUES ('automerge', 12);
   INSERT INTO plant_words (plant_words, rank) VALUES ('pgsz', 2000);
   -- Version of the search index; empty while the index is incomplete.
   CREATE TABLE search_index (
     only_row INTEGER PRIMARY KEY CHECK (only_row = 0),
     version TEXT NOT NULL
   ) STRICT;
   INSERT INTO search_index VALUES (0, '');`,
  `-- The last change of the plant; null if it is older than the log. Changes of one plant are a list
   -- from the newest to the oldest: an index by id would cost as much as the plants themselves.
   ALTER TABLE plants ADD COLUMN position INTEGER;
   CREATE TABLE changes (
     position INTEGER PRIMARY KEY,
     at INTEGER NOT NULL,
     id INTEGER NOT NULL,
     -- Null after a deletion.
     name TEXT,
     tag TEXT,
     -- Null before a creation.
     name_before TEXT,
     tag_before TEXT,
     token TEXT,
     -- The change of the same plant before this one.
     previous INTEGER
   ) STRICT;
   -- Where the list of a deleted plant begins.
   CREATE TABLE deleted_plants (
     id INTEGER PRIMARY KEY,
     position INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE change_log (
     only_row INTEGER PRIMARY KEY CHECK (only_row = 0),
     identity TEXT NOT NULL,
     last INTEGER NOT NULL,
     trimmed INTEGER NOT NULL
   ) STRICT;
   INSERT INTO change_log VALUES (0, lower(hex(randomblob(4))), 0, 0);`,
  `-- A webhook is one document: there are few, and only its owner's settings and its cursor change.
   CREATE TABLE webhooks (
     id TEXT PRIMARY KEY,
     version INTEGER NOT NULL,
     document TEXT NOT NULL
   ) STRICT;
   CREATE TABLE webhook_deliveries (
     webhook TEXT NOT NULL,
     number INTEGER NOT NULL,
     id TEXT NOT NULL,
     -- The time of the last attempt.
     at INTEGER NOT NULL,
     document TEXT NOT NULL,
     PRIMARY KEY (webhook, number)
   ) STRICT;`,
  `-- search-index.ts merges the index, 12 segments at a time. FTS5 itself would only from 1,000 segments of one level on (it fails at 2,000).
   INSERT INTO plant_words (plant_words, rank) VALUES ('automerge', 0);
   INSERT INTO plant_words (plant_words, rank) VALUES ('usermerge', 12);
   INSERT INTO plant_words (plant_words, rank) VALUES ('crisismerge', 1000);`,
  `-- Settings and progress apart, so that each row has one writer. The progress of an older webhook is in its settings until it is saved.
   CREATE TABLE webhook_progress (
     webhook TEXT PRIMARY KEY,
     step INTEGER NOT NULL,
     document TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;`,
  `-- How long the store was served, in milliseconds on which the wall clock and a monotonic one agree. Ages are by this clock, which no jump
   -- moves: a row of change_ages says where the log ended then.
   ALTER TABLE change_log ADD COLUMN served INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE change_log ADD COLUMN served_at INTEGER NOT NULL DEFAULT 0;
   CREATE TABLE change_ages (
     served INTEGER PRIMARY KEY,
     position INTEGER NOT NULL
   ) STRICT;
   ALTER TABLE webhook_deliveries RENAME COLUMN at TO served;
   UPDATE webhook_deliveries SET served = 0;`,
  `-- The batch that made the change. Only changes of batches have an entry in the index.
   ALTER TABLE changes ADD COLUMN change_group TEXT;
   CREATE INDEX changes_by_group ON changes (change_group, id) WHERE change_group IS NOT NULL;`,
  `-- The distinct words of the search index, for those that a search is a part of. Measured with a million: 40 ms, and 0.4 s with fts5vocab.
   CREATE TABLE search_words (word TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;`,
  `-- The token that created this one.
   ALTER TABLE tokens ADD COLUMN created_by TEXT;`,
  `-- How many changes of a group were removed while the newest change of their plant was one of the group. Only of groups of which the log
   -- still has changes.
   CREATE TABLE expired_changes (
     change_group TEXT PRIMARY KEY,
     changes INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;`,
];

/**
 * Migrates the schema in one transaction.
 * @throws Error if the file is not ours, or newer than this program.
 */
export function migrate(db: DatabaseSync): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    const taken = stepsTaken(db);
    for (const step of schemaSteps.slice(taken)) db.exec(step);
    if (taken < schemaSteps.length)
      db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaSteps.length}`);
    db.exec('COMMIT');
  } catch (error) {
    // SQLite rolls back by itself after some errors; a second rollback would hide the first error.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Checks a file before anything is changed.
 * @throws Error if it is not ours, or newer than this program.
 */
export function requireOurs(db: DatabaseSync): void {
  stepsTaken(db);
}

/**
 * Returns whether the schema is exactly this program's.
 * @throws Error as `requireOurs`.
 */
export function hasCurrentSchema(db: DatabaseSync): boolean {
  return stepsTaken(db) === schemaSteps.length;
}

/** @throws Error if the schema is not exactly this program's. */
export function requireCurrentSchema(db: DatabaseSync): void {
  if (!hasCurrentSchema(db))
    throw new Error('it has the schema of an older version; start the service once to bring it up to date');
}

function stepsTaken(db: DatabaseSync): number {
  const taken = Number(readPragma(db, 'user_version'));
  const owner = Number(readPragma(db, 'application_id'));
  const isEmpty = readValue(db, 'SELECT count(*) FROM sqlite_schema') === 0n;
  if (owner !== applicationId && !(isEmpty && owner === 0 && taken === 0))
    throw new Error('it is a database of another program');
  if (taken > schemaSteps.length) {
    throw new Error(
      `it was written by a newer version (schema ${taken}; this program knows ${schemaSteps.length}); install that version`,
    );
  }
  return taken;
}
