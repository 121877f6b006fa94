/** The tables of a data folder. migrations.ts creates them, and keeps them up to date. */

/**
 * The number of these tables, `user_version`. Numbers below it are of builds before 1.0.0, whose
 * tables had other columns; until 1.0.0, every change here takes the next number.
 */
export const firstSchema = 23;

/**
 * What versions after 1.0.0 change, in order, each as SQL: the first one leads to
 * `firstSchema + 1`. Only added to. There are none yet but those of tests.
 */
export const schemaSteps: readonly string[] = [];

export const tables = `
  CREATE TABLE plants (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    tag TEXT,
    -- The last change of the plant; null if it is older than the log. Changes of one plant are a list
    -- from the newest to the oldest: an index by id would cost as much as the plants themselves.
    position INTEGER
  ) STRICT;

  -- Updated in each transaction, so that counting costs nothing.
  CREATE TABLE plant_count (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 0),
    plants INTEGER NOT NULL
  ) STRICT;
  INSERT INTO plant_count VALUES (0, 0);
  CREATE TABLE tag_counts (
    tag TEXT PRIMARY KEY,
    plants INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- The plants are stored once, in their own table: no content, no sizes and no positions here. Terms come from search-terms.ts; the
  -- tokenizer only splits them at spaces. Searches of one to three characters are indexed themselves. Measured at a million random ids in
  -- commits of 32: 20 us a plant, 12 without the index.
  CREATE VIRTUAL TABLE plant_words USING fts5(
    tokens, content='', columnsize=0, detail='none', prefix='1 2 3', tokenize="ascii tokenchars '_'"
  );
  INSERT INTO plant_words (plant_words, rank) VALUES ('pgsz', 2000);
  -- search-index.ts merges the index, 12 segments at a time. FTS5 itself would only from 1,000 segments of one level on (it fails at 2,000).
  INSERT INTO plant_words (plant_words, rank) VALUES ('automerge', 0);
  INSERT INTO plant_words (plant_words, rank) VALUES ('usermerge', 12);
  INSERT INTO plant_words (plant_words, rank) VALUES ('crisismerge', 1000);
  -- Version of the search index; empty while the index is incomplete.
  CREATE TABLE search_index (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 0),
    version TEXT NOT NULL
  ) STRICT;
  INSERT INTO search_index VALUES (0, '');
  -- The distinct terms of plant_words, read from it; nothing is stored here.
  CREATE VIRTUAL TABLE search_words USING fts5vocab('plant_words', 'row');

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
    previous INTEGER,
    -- The batch or import that made the change: a key of change_groups. Only changes with a group have an entry in the index.
    change_group INTEGER
  ) STRICT;
  CREATE INDEX changes_by_group ON changes (change_group, id) WHERE change_group IS NOT NULL;
  -- The groups of which the log has changes.
  CREATE TABLE change_groups (
    key INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    -- How many of its changes were removed while the newest change of their plant was one of the group.
    expired INTEGER NOT NULL DEFAULT 0
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
    trimmed INTEGER NOT NULL,
    -- How long the store was served, in milliseconds on which the wall clock and a monotonic one agree. Ages are by this clock, which no jump
    -- moves: a row of change_ages says where the log ended then.
    served INTEGER NOT NULL DEFAULT 0,
    served_at INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  INSERT INTO change_log (only_row, identity, last, trimmed) VALUES (0, lower(hex(randomblob(4))), 0, 0);
  CREATE TABLE change_ages (
    served INTEGER PRIMARY KEY,
    position INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_used_at INTEGER,
    -- The token that created this one.
    created_by TEXT,
    -- When it was noted that it was revoked or has expired, by the clock of change_log.served.
    ended INTEGER
  ) STRICT;

  -- A webhook is one document: there are few. Settings and progress apart, so that each row has one writer.
  CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    document TEXT NOT NULL
  ) STRICT;
  CREATE TABLE webhook_progress (
    webhook TEXT PRIMARY KEY,
    step INTEGER NOT NULL,
    document TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE webhook_deliveries (
    webhook TEXT NOT NULL,
    number INTEGER NOT NULL,
    id TEXT NOT NULL,
    -- By the clock of the change log, at the last attempt.
    served INTEGER NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (webhook, number)
  ) STRICT;
`;
