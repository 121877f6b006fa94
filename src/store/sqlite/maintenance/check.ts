/** Checks a database file: damage, what is derived from plants, webhooks. Changes nothing. */
import { hash } from 'node:crypto';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { plantFields } from '../../../domain/plant.ts';
import { toSearchTerms } from '../../search-terms.ts';
import type { CheckResult } from '../../check-result.ts';
import { findDocumentProblem, selectDocuments } from '../../webhook-documents.ts';
import { openForReading, readPragma, readValue } from '../connection.ts';
import { hasCurrentSchema, requireCurrentSchema, requireTables } from '../migrations.ts';
import { isSearchIndexCurrent } from '../tables/search-index.ts';
import {
  plantColumns,
  prepareRows,
  type SqlRow,
  toInteger,
  toOptionalText,
  toPlant,
  toText,
} from '../tables/values.ts';
import { isOnReadOnlyDisk, walBytesOf, openStored, toImmutable, withCopy } from './database-file.ts';

/**
 * Checks a database that a service may be writing to, also one of an older version. Checks a
 * copy in `folder`: a long read would keep the service from reusing its WAL.
 * @throws Error if the file cannot be opened or copied, or is not ours.
 */
export async function checkServedDatabase(path: string, folder = dirname(path)): Promise<CheckResult> {
  const source = openStored(path);
  try {
    requireTables(source);
    const journalMode = String(readPragma(source, 'journal_mode'));
    // Nobody can write to it.
    if (isOnReadOnlyDisk(path)) {
      const readable = walBytesOf(path) === 0 ? toImmutable(path) : path;
      return { ...checkDatabase(readable, requireTables), journalMode };
    }
    const hint = 'name a folder with more space with --temp-dir';
    const result = await withCopy(source, folder, hint, (copy) => checkDatabase(copy, requireTables));
    // The copy has no WAL.
    return { ...result, bytes: result.bytes + walBytesOf(path), journalMode };
  } finally {
    source.close();
  }
}

/**
 * Checks a database without writers. One of an older version, which `requireSchema` may accept,
 * is only searched for damage: what is derived from the plants is not known of it.
 * @throws Error if the file cannot be opened or is not ours.
 */
export function checkDatabase(path: string, requireSchema = requireCurrentSchema): CheckResult {
  const db = openForReading(path);
  try {
    requireSchema(db);
    const damage = findDamage(db);
    const isReadable = damage.length === 0;
    const count = (table: string): number | null =>
      isReadable ? Number(readValue(db, `SELECT count(*) FROM ${table}`)) : null;
    return {
      plants: count('plants'),
      tags: count('tag_counts'),
      tokens: count('tokens'),
      schemaVersion: Number(readPragma(db, 'user_version')),
      bytes: Number(readPragma(db, 'page_count')) * Number(readPragma(db, 'page_size')),
      sqliteVersion: String(readValue(db, 'SELECT sqlite_version()')),
      journalMode: String(readPragma(db, 'journal_mode')),
      problems: isReadable && hasCurrentSchema(db) ? findDrift(db) : damage,
    };
  } finally {
    db.close();
  }
}

/** @throws Error with the first problem. */
export function requireSound(path: string, what: string, requireSchema = requireCurrentSchema): CheckResult {
  const result = checkDatabase(path, requireSchema);
  if (result.problems[0] !== undefined) throw new Error(`${what} is not sound: ${result.problems[0]}`);
  return result;
}

/** SQLITE_CORRUPT (sqlite.org/rescode.html#corrupt). */
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

/** Compares all derived data with the plants. Each statement reads its tables once. */
function findDrift(db: DatabaseSync): string[] {
  const problems: string[] = [];
  const expect = (sql: string, problem: string): void => {
    if (readValue(db, sql) !== 0n) problems.push(problem);
  };
  expect(
    'SELECT (SELECT count(*) FROM plants) - (SELECT plants FROM plant_count)',
    'The number of plants is counted wrongly',
  );
  const counted = 'SELECT tag, plants FROM tag_counts';
  const present = 'SELECT tag, count(*) FROM plants WHERE tag IS NOT NULL GROUP BY tag';
  expect(
    `SELECT count(*) FROM (SELECT * FROM (${present}) EXCEPT ${counted})`,
    'The plants of a tag are counted wrongly',
  );
  expect(
    'SELECT count(*) FROM (SELECT tag FROM tag_counts EXCEPT SELECT tag FROM plants)',
    'A tag is counted that no plant has',
  );
  findLogDrift(expect);
  // An outdated index is rebuilt at the next start.
  if (isSearchIndexCurrent(db)) {
    if (sumOfPlants(db) !== sumOfIndex(db)) problems.push('The search index does not agree with the plants');
  }
  return [...problems, ...findWrongDocuments(db)];
}

function findWrongDocuments(db: DatabaseSync): string[] {
  const problems: string[] = [];
  for (const row of prepareRows(db, selectDocuments).iterate() as Iterable<SqlRow>) {
    const problem = findDocumentProblem(toOptionalText(row[0]), toText(row[1]), toText(row[2]));
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

/** Compares the change log with the plants, and its records with each other. */
function findLogDrift(expect: (sql: string, problem: string) => void): void {
  const trimmed = '(SELECT trimmed FROM change_log)';
  const differs = (one: string, other: string): string => `${one} IS NOT ${other}`;
  expect(
    `SELECT (SELECT last - trimmed FROM change_log) - (SELECT count(*) FROM changes WHERE position > ${trimmed})`,
    'The change log has a gap',
  );
  expect(
    `SELECT count(*) FROM plants AS p LEFT JOIN changes AS c ON c.position = p.position WHERE p.position > ${trimmed}
     AND (${['id', ...plantFields].map((column) => differs(`c.${column}`, `p.${column}`)).join(' OR ')})`,
    'The last change of a plant is not the plant as it is stored',
  );
  expect(
    `SELECT count(*) FROM deleted_plants AS d LEFT JOIN changes AS c ON c.position = d.position
     WHERE ${differs('c.id', 'd.id')} OR c.name IS NOT NULL OR d.id IN (SELECT id FROM plants)`,
    'A deleted plant has no record of its deletion, or is stored',
  );
  expect(
    `SELECT count(*) FROM changes AS c JOIN changes AS p ON p.position = c.previous
     WHERE ${differs('p.id', 'c.id')} OR ${plantFields.map((field) => differs(`p.${field}`, `c.${field}_before`)).join(' OR ')}`,
    'Two successive changes of a plant do not agree',
  );
  expect(
    `SELECT count(*) FROM changes AS c
     LEFT JOIN plants AS p ON p.id = c.id LEFT JOIN deleted_plants AS d ON d.id = c.id
     WHERE coalesce(p.position, d.position, 0) < c.position`,
    'The change log has a change that its plant does not show',
  );
  expect(
    `SELECT count(*) FROM (SELECT DISTINCT change_group FROM changes WHERE change_group IS NOT NULL) AS c
     FULL JOIN change_groups ON key = change_group WHERE key IS NULL OR change_group IS NULL`,
    'The groups of changes are not those of the change log',
  );
}

/**
 * Sums of the expected and the actual index entries, independent of their order. Different sets of
 * a million entries have equal sums once in 2^64.
 */
function sumOfPlants(db: DatabaseSync): bigint {
  const sum = new EntrySum();
  for (const row of prepareRows(db, `SELECT ${plantColumns} FROM plants`).iterate()) {
    const plant = toPlant(row);
    for (const term of toSearchTerms(plant)) sum.add(term, plant.id);
  }
  return sum.value;
}

function sumOfIndex(db: DatabaseSync): bigint {
  db.exec("CREATE VIRTUAL TABLE temp.plant_entries USING fts5vocab('main', 'plant_words', 'instance')");
  const sum = new EntrySum();
  for (const { term, doc } of db.prepare('SELECT term, doc FROM temp.plant_entries').iterate())
    sum.add(toText(term), toInteger(doc));
  return sum.value;
}

class EntrySum {
  #sum = 0n;

  get value(): bigint {
    return this.#sum;
  }

  add(term: string, id: bigint): void {
    const bytes = hash('sha256', `${id} ${term}`, 'buffer');
    this.#sum = BigInt.asUintN(64, this.#sum + bytes.readBigUInt64LE());
  }
}
