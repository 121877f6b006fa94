/**
 * The SQL that finds plants by the words of their names and tags. A look at each plant asks for
 * the parts of words themselves; the index of words is asked for the listed words that have them.
 */
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { PlantFilter } from '../../../domain/store.ts';
import { allIds, type IdRange } from '../../id-range.ts';
import { listedWordsMax, toWantedWords, type WantedWord, wordOfNone } from '../../search-tokens.ts';
import type { Rows } from '../connection.ts';
import type { Query } from '../query.ts';
import { plantColumns, toConditions, toPlant } from './plant-reads.ts';

/** All plants that match, ascending by id. Looks at each: it must be of one moment. */
export function scanQuery(filter: PlantFilter): Query {
  const { conditions, values, name } = toConditions(filter, allIds);
  const { text: word, name: wordName } = toWordCondition(toSearch(filter), values);
  const text = `SELECT ${plantColumns} FROM plants WHERE ${conditions} AND ${word} ORDER BY id`;
  return { statement: { name: `scan${name}${wordName}`, text }, values };
}

/** What a search asks of the words of a plant. */
export interface Search {
  /** Asked of the index of words, or of each plant; '' if nothing. */
  readonly query: string;
  /** Parts that the words must contain, which no index knows. */
  readonly parts: readonly string[];
}

/**
 * @param wordsOf the listed words that contain a part; undefined if they are too many. Absent: no
 * part is looked up, which is cheaper for a plant that is looked at.
 */
export function toSearch(filter: PlantFilter, wordsOf?: ReadonlyMap<string, readonly string[] | undefined>): Search {
  const queries: string[] = [];
  const parts: string[] = [];
  for (const { beginnings, part } of toWantedWords(filter)) {
    const words = part === undefined ? undefined : wordsOf?.get(part);
    if (words !== undefined) queries.push(toAny(words.length === 0 ? [wordOfNone] : words, ''));
    else if (part === undefined) queries.push(toAny(beginnings, ':*'));
    else parts.push(part);
  }
  return { query: queries.join(' & '), parts };
}

/** A word has no quote and no backslash: both separate words. */
function toAny(words: readonly string[], suffix: string): string {
  return `(${words.map((word) => `'${word}'${suffix}`).join(' | ')})`;
}

/** The parts of words that a filter wants. */
export function toParts(filter: PlantFilter): readonly string[] {
  return toWantedWords(filter).flatMap(({ part }: WantedWord) => part ?? []);
}

/**
 * Words that contain the part, one more than are looked up if there are as many. A divided
 * database has a list for each bucket.
 */
export function containingQuery(part: string, buckets: number): Query {
  const text = `SELECT word FROM search_words WHERE strpos(word, $1) > 0 LIMIT $2`;
  return { statement: { name: 'list-words', text }, values: [part, (listedWordsMax + 1) * buckets] };
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
 * Those that match among the first plants of the window; of a divided database, among as many
 * of each bucket.
 */
export function nearQuery(filter: PlantFilter, window: Window): Query {
  const { text, values, name } = toNear(filter, window);
  return { statement: { name: `list-near${name}`, text }, values };
}

/**
 * As `nearQuery`. If these do not fill the page, and there are further plants, the index of
 * words is asked for all that match, unless they are too many. One statement, so that it sees
 * one moment.
 *
 * A list in memory is planned as if all of it were read, but read only as far as it is needed:
 * the server cannot estimate how many plants have a word that begins so, and would read the
 * whole table for a rare one.
 */
export function foundQuery(filter: PlantFilter, search: Search, window: Window, matchesMax: number): Query {
  const { text: near, values, name, order, conditions, limit, rowsMax } = toNear(filter, window);
  const { text: word, name: wordName } = toWordCondition(search, values);
  values.push(search.query === '' ? unasked : matchesMax);
  const most = `$${values.length}::int8`;
  const text = `WITH rest AS MATERIALIZED (SELECT id FROM plants WHERE ${conditions} ORDER BY id${order} OFFSET ${rowsMax} LIMIT 1),
      near AS MATERIALIZED (${near}),
      matching AS MATERIALIZED (SELECT ${plantColumns} FROM plants WHERE ${word}),
      found AS MATERIALIZED (SELECT * FROM matching
        WHERE (SELECT count(*) FROM near) < ${limit} AND EXISTS (SELECT FROM rest) LIMIT ${most} + 1),
      state AS MATERIALIZED (SELECT (SELECT id FROM rest) AS next, (SELECT count(*) FROM found) AS matches)
    SELECT CASE WHEN matches > ${most} THEN next END, page.* FROM state LEFT JOIN (
      SELECT * FROM near WHERE (SELECT matches = 0 OR matches > ${most} FROM state)
      UNION ALL SELECT * FROM found WHERE ${conditions} AND (SELECT matches <= ${most} FROM state)
    ) AS page ON true ORDER BY id${order} LIMIT ${limit}`;
  return { statement: { name: `list-found${name}${wordName}`, text }, values };
}

/** In place of the matches that the index may give: it cannot be asked. */
const unasked = -1;

export interface Found {
  readonly plants: readonly StoredPlant[];
  /** Where to look further; undefined if no plants after these match, or the page is full. */
  readonly next: bigint | undefined;
}

/** @param rows of a `foundQuery`. */
export function toFound(rows: Rows['rows']): Found {
  const next = rows[0]?.[0] as bigint | null | undefined;
  return { next: next ?? undefined, plants: rows.flatMap(([, ...row]) => (row[0] === null ? [] : [toPlant(row)])) };
}

/**
 * All that match, of a divided database. Citus would collect all matches on the coordinator for
 * a common table. The sum keeps it from reading a bucket in the order of ids.
 */
export function dividedQuery(filter: PlantFilter, search: Search, { range, limit }: Window): Query {
  const { conditions, values, name, order } = toConditions(filter, range);
  const { text: word, name: wordName } = toWordCondition(search, values);
  values.push(limit);
  const text = `SELECT ${plantColumns} FROM plants WHERE ${conditions} AND ${word} ORDER BY id + 0${order} LIMIT $${values.length}`;
  return { statement: { name: `list-divided${name}${wordName}`, text }, values };
}

/** The limit inside keeps the server from asking the index of words. */
function toNear(filter: PlantFilter, window: Window) {
  const { conditions, values, name, order } = toConditions(filter, window.range);
  const { text: word, name: wordName } = toWordCondition(toSearch(filter), values);
  values.push(window.limit, window.rowsMax);
  const [limit, rowsMax] = [`$${values.length - 1}::int8`, `$${values.length}::int8`];
  const text = `SELECT ${plantColumns} FROM (
      SELECT ${plantColumns}, words FROM plants WHERE ${conditions} ORDER BY id${order} LIMIT ${rowsMax}
    ) AS near WHERE ${word} ORDER BY id${order} LIMIT ${limit}`;
  return { text, values, name: `${name}${wordName}`, order, conditions, limit, rowsMax };
}

/** @param values gets the parameters. */
function toWordCondition(
  { query, parts }: Search,
  values: unknown[],
): { readonly text: string; readonly name: string } {
  const conditions: string[] = [];
  let name = '';
  if (query !== '') {
    values.push(query);
    conditions.push(`words @@ $${values.length}::tsquery`);
    name += '-by-word';
  }
  if (parts.length > 0) {
    // A word has no character that means something in a pattern.
    values.push(parts.map((part) => `%${part}%`));
    conditions.push(`words::text COLLATE "C" LIKE ALL ($${values.length}::text[])`);
    name += '-by-part';
  }
  return { text: conditions.length === 0 ? 'true' : conditions.join(' AND '), name };
}
