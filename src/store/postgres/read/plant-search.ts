/**
 * The SQL that finds plants by the words of their names and tags. The column of words is a text,
 * which LIKE compares; an index of its trigrams (pg_trgm) finds the rows of rare ones.
 */
import type { Plant, StoredPlant } from '../../../domain/schemas.ts';
import type { ListFilter } from '../../../domain/store.ts';
import { allIds, type IdRange } from '../../id-range.ts';
import { toWantedWords, toWordTerms, type WantedWord } from '../../search-terms.ts';
import type { Rows } from '../connect/connection.ts';
import type { BoundStatement } from '../connect/statement.ts';
import { toConditions } from './list-statement.ts';
import { plantColumns, toPlant } from './values.ts';

/** Patterns that the index is asked for; rows are compared with the others, too. */
const indexedMax = 4;

/** The words of a plant, as its column has them: " mentha piperita| herbs". */
export function toWordText(plant: Plant): string {
  const words = toWordTerms(plant).map((term) => ` ${term}`);
  const ofTag = words.filter(isOfTag).map((word) => word.replace(tagMark, ' '));
  return `${words.filter((word) => !isOfTag(word)).join('')}|${ofTag.join('')}`;
}

const tagMark = ' _';

function isOfTag(word: string): boolean {
  return word.startsWith(tagMark);
}

/** What a search asks of the words of a plant. */
export interface Search {
  /** Patterns that must all match. */
  readonly patterns: readonly string[];
  /** Patterns of which the index has a trigram. */
  readonly indexed: readonly string[];
}

/** @returns undefined if every plant matches. */
export function toSearch(filter: ListFilter): Search | undefined {
  const patterns = toWantedWords(filter).map(toPattern);
  if (patterns.length === 0) return undefined;
  const indexed = patterns.filter((pattern) => /[\p{L}\p{N}]/u.test(pattern));
  return { patterns, indexed: indexed.toSorted((one, other) => other.length - one.length).slice(0, indexedMax) };
}

/** A word has no character that means something in a pattern. */
function toPattern({ beginnings, part }: WantedWord): string {
  if (part !== undefined) return `%${part}%`;
  const [word = '', inTag] = beginnings;
  const beginning = `% ${word.replaceAll('_', String.raw`\_`)}%`;
  return inTag === undefined ? `${beginning}|%` : beginning;
}

/** All plants that match, ascending by id. */
export function scanStatement(filter: ListFilter): BoundStatement {
  const { conditions, values, name } = toConditions(filter, allIds);
  const found = toWordConditions(toSearch(filter), values);
  const text = `SELECT ${plantColumns} FROM plants WHERE ${[conditions, ...found.conditions].join(' AND ')} ORDER BY id`;
  return { statement: { name: `scan${name}${found.name}`, text }, values };
}

/** What a search looks at. */
export interface Window {
  readonly range: IdRange;
  /** Plants in the order of ids that are looked at. */
  readonly rowsMax: number;
  /** Plants that are found. */
  readonly limit: number;
}

/**
 * Selects the matches among the first plants of the window, with the last plant that it looked at.
 */
export function lookStatement(filter: ListFilter, search: Search, window: Window): BoundStatement {
  const { text: look, values, name, order, conditions, rowsMax } = toLook(filter, search, window);
  const text = `WITH matching AS MATERIALIZED (${look})
    SELECT last, matching.* FROM
      (SELECT (SELECT id FROM plants WHERE ${conditions} ORDER BY id${order} OFFSET ${rowsMax} - 1 LIMIT 1) AS last) AS looked
    LEFT JOIN matching ON true ORDER BY id${order}`;
  return { statement: { name: `list-look${name}`, text }, values };
}

/**
 * All that match, found by the index of words, if at most so many plants have the words. One
 * statement, so that it sees one moment.
 */
export function foundStatement(
  filter: ListFilter,
  search: Search,
  { range, limit, matchesMax }: Pick<Window, 'range' | 'limit'> & { readonly matchesMax: number },
): BoundStatement {
  const { conditions, values, name, order } = toConditions(filter, range);
  const found = toWordConditions(search, values);
  values.push(matchesMax, limit);
  const [most, count] = [`$${values.length - 1}::int8`, `$${values.length}::int8`];
  const text = `WITH matching AS MATERIALIZED (
      SELECT ${plantColumns} FROM plants WHERE ${found.conditions.join(' AND ')} LIMIT ${most} + 1
    ), state AS MATERIALIZED (SELECT count(*) > ${most} AS has_more FROM matching)
    SELECT has_more, page.* FROM state LEFT JOIN (
      SELECT * FROM matching WHERE ${conditions} AND NOT (SELECT has_more FROM state)
    ) AS page ON true ORDER BY id${order} LIMIT ${count}`;
  return { statement: { name: `list-found${name}${found.name}`, text }, values };
}

/** @param rows of a `lookStatement` or a `foundStatement`: before each plant, or before none, the state. */
export function toFound(rows: Rows['rows']): { readonly state: unknown; readonly plants: readonly StoredPlant[] } {
  return {
    state: rows[0]?.[0],
    plants: rows.flatMap(([, ...row]) => (row[0] === null ? [] : [toPlant(row)])),
  };
}

/**
 * The statement that looks at the first plants of the window. The limit inside keeps the server
 * from asking the index of words.
 */
export function toLook(filter: ListFilter, { patterns }: Search, window: Window) {
  const { conditions, values, name, order } = toConditions(filter, window.range);
  values.push(patterns, window.limit, window.rowsMax);
  const [all, limit, rowsMax] = [2, 1, 0].map((at) => `$${values.length - at}`);
  const text = `SELECT ${plantColumns} FROM (
      SELECT ${plantColumns}, words FROM plants WHERE ${conditions} ORDER BY id${order} LIMIT ${rowsMax}::int8
    ) AS looked WHERE words LIKE ALL (${all}::text[]) ORDER BY id${order} LIMIT ${limit}::int8`;
  return { text, values, name, order, conditions, rowsMax: `${rowsMax}::int8` };
}

/** The index does not know LIKE ALL. @param values gets the parameters. */
export function toWordConditions(
  search: Search | undefined,
  values: unknown[],
): { readonly conditions: readonly string[]; readonly name: string } {
  if (search === undefined) return { conditions: [], name: '' };
  const conditions = search.indexed.map((pattern) => `words LIKE $${values.push(pattern)}`);
  if (search.patterns.length > conditions.length)
    conditions.push(`words LIKE ALL ($${values.push(search.patterns)}::text[])`);
  const others = search.patterns.length > search.indexed.length ? '-others' : '';
  return { conditions, name: `-by-${search.indexed.length}-words${others}` };
}
