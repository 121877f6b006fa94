/**
 * The SQL that finds plants by the words of their names and tags. A look at each plant asks for
 * the parts of words themselves; the index of words is asked for the listed words that have them.
 */
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { PlantFilter } from '../../../domain/store.ts';
import { allIds, type IdRange } from '../../id-range.ts';
import { fewWords, listedWordsMax, toWantedWords, wordOfNone } from '../../search-tokens.ts';
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

/** Of each part that was looked up, the words in use that contain it; undefined if too many. */
export type WordsOf = ReadonlyMap<string, readonly string[] | undefined>;

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
export function toSearch(filter: PlantFilter, wordsOf?: WordsOf): Search {
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

/** Words that contain the part, one more than are looked up, in each bucket. */
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

/** Those that match among the first plants of the window, with the last that was looked at. */
export function lookQuery(filter: PlantFilter, window: Window): Query {
  const { text: near, values, name, order, conditions, rowsMax } = toNear(filter, window);
  const text = `WITH near AS MATERIALIZED (${near})
    SELECT last, near.* FROM
      (SELECT (SELECT id FROM plants WHERE ${conditions} ORDER BY id${order} OFFSET ${rowsMax} - 1 LIMIT 1) AS last) AS looked
    LEFT JOIN near ON true ORDER BY id${order}`;
  return { statement: { name: `list-look${name}`, text }, values };
}

/** As `lookQuery`, of each bucket of a divided database. */
export function nearQuery(filter: PlantFilter, window: Window): Query {
  const { text, values, name } = toNear(filter, window);
  return { statement: { name: `list-near${name}`, text }, values };
}

/**
 * What the index is asked, each alone so that the server can stop. Of all words together it
 * would compare each match with each of them (measured: 3.7 s for two parts of 400 words, with
 * 250,000 plants each).
 */
export type Driver = readonly string[];

/** All that the filter wants of few words, then its other parts, those of the fewest words first. */
export function toDrivers(filter: PlantFilter, wordsOf: WordsOf): readonly Driver[] {
  const few: string[] = [];
  const drivers: Driver[] = [];
  for (const { beginnings, part } of toWantedWords(filter)) {
    const words = part === undefined ? undefined : wordsOf.get(part);
    if (part === undefined) few.push(toAny(beginnings, ':*'));
    else if (words !== undefined && words.length <= fewWords)
      few.push(toAny(words.length === 0 ? [wordOfNone] : words, ''));
    else if (words !== undefined) drivers.push(words.map((word) => toAny([word], '')));
  }
  drivers.sort((one, other) => one.length - other.length);
  return few.length === 0 ? drivers : [[few.join(' & ')], ...drivers];
}

/**
 * All that match, found by the index of words, if at most so many plants have the words of the
 * driver. One statement, so that it sees one moment.
 */
export function foundQuery(
  filter: PlantFilter,
  driver: Driver,
  { range, limit, matchesMax }: Pick<Window, 'range' | 'limit'> & { readonly matchesMax: number },
): Query {
  const { conditions, values, name, order } = toConditions(filter, range);
  const { text: word, name: wordName } = toWordCondition(toSearch(filter), values);
  values.push(driver, matchesMax, limit);
  const [queries, most, count] = [2, 1, 0].map((at) => `$${values.length - at}`);
  const text = `WITH matching AS MATERIALIZED (SELECT p.* FROM unnest(${queries}::text[]) AS query
        CROSS JOIN LATERAL (SELECT ${plantColumns}, words FROM plants WHERE words @@ query::tsquery) AS p LIMIT ${most}::int8 + 1),
      state AS MATERIALIZED (SELECT count(*) > ${most} AS has_more FROM matching)
    SELECT has_more, page.* FROM state LEFT JOIN (
      SELECT DISTINCT ${plantColumns} FROM matching WHERE ${conditions} AND ${word} AND NOT (SELECT has_more FROM state)
    ) AS page ON true ORDER BY id${order} LIMIT ${count}::int8`;
  return { statement: { name: `list-found${name}${wordName}`, text }, values };
}

/** @param rows of a `lookQuery` or a `foundQuery`: before each plant, or before none, the state. */
export function toFound(rows: Rows['rows']): { readonly state: unknown; readonly plants: readonly StoredPlant[] } {
  return {
    state: rows[0]?.[0],
    plants: rows.flatMap(([, ...row]) => (row[0] === null ? [] : [toPlant(row)])),
  };
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
  return { text, values, name: `${name}${wordName}`, order, conditions, rowsMax };
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
