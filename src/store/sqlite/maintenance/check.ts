/** Holds a database file against what it must be: whole, ours, and with counts and keys that fit its plants. Changes nothing. */
import type { DatabaseSync } from 'node:sqlite';
import { toNameKey } from '../../name-key.ts';
import { openForReading, readPragma } from '../connection.ts';
import { requireCurrentSchema } from '../migrations.ts';
import { entriesOfLog, nameIndex, tagIndex } from '../tables/waiting-entries.ts';

/** What a check found. */
export interface StoreReport {
  /** Like the next two null when the file is damaged, so that it cannot be counted. */
  readonly plants: number | null;
  readonly tags: number | null;
  readonly tokens: number | null;
  readonly schemaVersion: number;
  /** Size of the database without its log. */
  readonly bytes: number;
  readonly sqliteVersion: string;
  readonly journalMode: string;
  /** One sentence each; none when all is well. */
  readonly faults: readonly string[];
}

/** @throws Error when the file cannot be opened, or is not ours. */
export function checkDatabase(path: string): StoreReport {
  const db = openForReading(path);
  try {
    requireCurrentSchema(db);
    // One transaction, so that a service that writes meanwhile does not make the counts differ.
    db.exec('BEGIN');
    const damage = findDamage(db);
    const isWhole = damage.length === 0;
    const count = (table: string): number | null =>
      isWhole ? Number(readValue(db, `SELECT count(*) FROM ${table}`)) : null;
    return {
      plants: count('plants'),
      tags: count('tag_counts'),
      tokens: count('tokens'),
      schemaVersion: Number(readPragma(db, 'user_version')),
      bytes: Number(readPragma(db, 'page_count')) * Number(readPragma(db, 'page_size')),
      sqliteVersion: String(readValue(db, 'SELECT sqlite_version()')),
      journalMode: String(readPragma(db, 'journal_mode')),
      faults: isWhole ? findDrift(db) : damage,
    };
  } finally {
    db.close();
  }
}

/** Result code of SQLite for a file whose pages make no sense (sqlite.org/rescode.html#corrupt). */
const corrupt = 11;

function findDamage(db: DatabaseSync): string[] {
  let lines: string[];
  try {
    lines = db
      .prepare('PRAGMA integrity_check(20)')
      .all()
      .map(({ integrity_check: line }) => String(line));
  } catch (error) {
    if (!(error instanceof Error && 'errcode' in error && error.errcode === corrupt)) throw error;
    lines = [error.message];
  }
  return lines.length === 1 && lines[0] === 'ok' ? [] : lines.map((line) => `The file is damaged: ${line}`);
}

/** Everything that is derived from the plants, derived again. */
function findDrift(db: DatabaseSync): string[] {
  const faults: string[] = [];
  const expect = (sql: string, fault: string): void => {
    if (readValue(db, sql) !== 0n) faults.push(fault);
  };
  expect(
    'SELECT (SELECT count(*) FROM plants) - (SELECT plants FROM plant_count)',
    'The number of plants is counted wrongly',
  );
  expect(
    `SELECT count(*) FROM (
       SELECT tag, count(*) FROM plants WHERE tag IS NOT NULL GROUP BY tag EXCEPT SELECT tag, plants FROM tag_counts
     )`,
    'The plants of a tag are counted wrongly',
  );
  expect(
    'SELECT count(*) FROM tag_counts AS c WHERE NOT EXISTS (SELECT 1 FROM plants AS p WHERE p.tag = c.tag)',
    'A tag is counted that no plant has',
  );
  expect(
    `SELECT (SELECT count(*) FROM plants) - (SELECT count(*) FROM plant_names)
       - (SELECT count(*) FROM (${entriesOfLog(nameIndex)} EXCEPT SELECT key, id FROM plant_names))`,
    'A name is missing in the index of names',
  );
  if (hasStrangeKey(db)) faults.push('A name stands under a wrong key in the index of names');
  expect(
    `SELECT (SELECT count(*) FROM plants WHERE tag IS NOT NULL) - (SELECT count(*) FROM plant_tags)
       - (SELECT count(*) FROM (${entriesOfLog(tagIndex)} EXCEPT SELECT tag, id FROM plant_tags))`,
    'A tag is missing in the index of tags',
  );
  expect(
    `SELECT count(*) FROM (SELECT tag, id FROM plant_tags UNION ALL ${entriesOfLog(tagIndex)}) AS t
     LEFT JOIN plants AS p ON p.id = t.id WHERE p.tag IS NOT t.tag`,
    'A plant stands under a wrong tag in the index of tags',
  );
  return faults;
}

function hasStrangeKey(db: DatabaseSync): boolean {
  const rows = db.prepare(
    `SELECT n.key, p.name FROM (SELECT key, id FROM plant_names UNION ALL ${entriesOfLog(nameIndex)}) AS n
     LEFT JOIN plants AS p ON p.id = n.id`,
  );
  for (const { key, name } of rows.iterate()) {
    if (typeof name !== 'string' || key !== toNameKey(name)) return true;
  }
  return false;
}

function readValue(db: DatabaseSync, sql: string): unknown {
  return Object.values(db.prepare(sql).get() ?? {})[0];
}
