/** Creates a database file of an older version. */
import { DatabaseSync } from 'node:sqlite';
import type { NewPlant } from '../../src/domain/schemas.ts';

/** Writes a file of schema version 2, with some plants in the indexes and some in the index log. */
export function writeOlderStore(path: string, plants: readonly NewPlant[]): void {
  const db = new DatabaseSync(path);
  try {
    db.exec(`
      PRAGMA journal_mode = WAL;
      BEGIN;
      PRAGMA application_id = 0x506c6e74;
      PRAGMA user_version = 2;
      CREATE TABLE plants (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tag TEXT) STRICT;
      CREATE TABLE plant_names (key TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (key, id)) STRICT, WITHOUT ROWID;
      CREATE TABLE tag_counts (tag TEXT PRIMARY KEY, plants INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE plant_count (only_row INTEGER PRIMARY KEY CHECK (only_row = 0), plants INTEGER NOT NULL) STRICT;
      CREATE TABLE tokens (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL, created_at INTEGER NOT NULL,
        expires_at INTEGER, revoked_at INTEGER, last_used_at INTEGER
      ) STRICT;
      CREATE TABLE plant_tags (tag TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (tag, id)) STRICT, WITHOUT ROWID;
      CREATE TABLE index_log (n INTEGER PRIMARY KEY, change INTEGER NOT NULL, id INTEGER NOT NULL, tag TEXT, key TEXT) STRICT;`);
    const insert = db.prepare('INSERT INTO plants VALUES (?, ?, ?)');
    for (const { id, name, tag = null } of plants) insert.run(id, name, tag);
    db.exec(`
      INSERT INTO plant_names SELECT lower(name), id FROM plants WHERE id % 3 <> 0;
      INSERT INTO plant_tags SELECT tag, id FROM plants WHERE tag IS NOT NULL AND id % 3 <> 0;
      INSERT INTO index_log (change, id, tag, key) SELECT 1, id, tag, lower(name) FROM plants WHERE id % 3 = 0;
      INSERT INTO tag_counts SELECT tag, count(*) FROM plants WHERE tag IS NOT NULL GROUP BY tag;
      INSERT INTO plant_count SELECT 0, count(*) FROM plants;
      COMMIT;`);
  } finally {
    db.close();
  }
}
