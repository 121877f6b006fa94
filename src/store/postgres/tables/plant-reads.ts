/** The SQL that reads plants: rows out. Connections and snapshots are not here. */
import { plantFields, toStoredPlant } from '../../../domain/plant.ts';
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { PlantFilter, PlantPage, TagCounts, TagPage } from '../../../domain/store.ts';
import { int64Max, int64Min } from '../../../json/int64.ts';
import { toPrefixRange } from '../../prefix-range.ts';
import { toWantedWords } from '../../search-tokens.ts';
import type { Rows, Statement } from '../connection.ts';
import type { Query } from '../query.ts';

/** The columns of a plant that `toPlant` reads. */
export const plantColumns = ['id', ...plantFields].join(', ');

const selectOne: Statement = {
  name: 'find-plant',
  text: `SELECT ${plantColumns} FROM plants WHERE id = $1 AND bucket = $2`,
};
const selectCount: Statement = {
  name: 'count-plants',
  text: 'SELECT coalesce(sum(plants), 0)::int8 AS plants FROM plant_counts',
};

export function findQuery(id: bigint, bucket: number): Query {
  return { statement: selectOne, values: [id, bucket] };
}

export function countQuery(): Query {
  return { statement: selectCount, values: [] };
}

/**
 * Rows that a page of a search looks at in the order of ids before it asks the index of words: some milliseconds. A page of 100 is full
 * after them if one plant in 80 matches; of that many matches, the index would read all (measured: 100 ms for 25,000).
 */
const scannedRowsMax = 8_000;
/** Code points of a tag that its index has. */
const tagHeadMax = 100;

/** All plants that match, ascending by id. */
export function scanQuery(filter: PlantFilter): Query {
  const { conditions, values, name } = toConditions(filter, int64Min);
  const text = `SELECT ${plantColumns} FROM plants WHERE ${conditions.join(' AND ')} ORDER BY id`;
  return { statement: { name: `scan${name}`, text }, values };
}

/**
 * The queries of a page, to be run in turn until one fills it; the last one finds all.
 *
 * The server cannot estimate how many plants have a word that begins so. Where many have it, the page is full after a few rows in the order
 * of ids; where few have it, the index of words finds all of them at once. Left to itself, the server may read the whole table for a rare word.
 * If no more rows are left than a page looks at, the index is not asked: at the end of a list, most of its matches would be of earlier pages.
 *
 * Of a divided database, each bucket sends as many rows as the whole page may look at, and then no more than the page has: Citus would
 * collect all matches on the coordinator for the common table. The sum keeps it from reading a bucket in the order of ids.
 */
export function listQueries(page: PlantPage, buckets: number): readonly Query[] {
  if (page.after === int64Max) return [];
  const { conditions, values, name, word } = toConditions(page, page.after === undefined ? int64Min : page.after + 1n);
  values.push(page.limit);
  const limit = `$${values.length}`;
  const where = conditions.join(' AND ');
  const query = (kind: string, text: string): Query => ({ statement: { name: `${kind}${name}`, text }, values });
  if (word === undefined)
    return [query('list', `SELECT ${plantColumns} FROM plants WHERE ${where} ORDER BY id LIMIT ${limit}`)];
  const others = conditions.filter((condition) => condition !== word).join(' AND ');
  const rowsMax = scannedRowsMax / buckets;
  const near = `SELECT ${plantColumns} FROM (
      SELECT ${plantColumns}, words FROM plants WHERE ${others} ORDER BY id LIMIT ${rowsMax}
    ) AS near WHERE ${word}`;
  return [
    query('list-near', `${near} ORDER BY id LIMIT ${limit}`),
    query(
      'list-found',
      buckets === 1
        ? `WITH found AS MATERIALIZED (SELECT ${plantColumns} FROM plants WHERE ${word}),
           rest AS MATERIALIZED (SELECT FROM plants WHERE ${others} ORDER BY id OFFSET ${rowsMax} LIMIT 1)
           SELECT ${plantColumns} FROM (
             ${near} AND NOT EXISTS (SELECT FROM rest)
             UNION ALL SELECT ${plantColumns} FROM found WHERE ${others} AND EXISTS (SELECT FROM rest)
           ) AS page ORDER BY id LIMIT ${limit}`
        : `SELECT ${plantColumns} FROM plants WHERE ${where} ORDER BY id + 0 LIMIT ${limit}`,
    ),
  ];
}

interface Conditions {
  readonly conditions: readonly string[];
  readonly values: unknown[];
  /** For the name of a statement. */
  readonly name: string;
  /** The condition on words. */
  readonly word: string | undefined;
}

function toConditions({ tag, name: wanted }: PlantFilter, from: bigint): Conditions {
  const values: unknown[] = [from];
  const conditions = ['id >= $1'];
  let name = '';
  if (tag !== undefined) {
    values.push(tag);
    name = '-by-tag';
    const parameter = `$${values.length}`;
    conditions.push(`left(tag, ${tagHeadMax}) = left(${parameter}, ${tagHeadMax})`);
    // A shorter tag is all in the index. A second condition would make the server expect far fewer plants than there are, and read and sort
    // all of them for a page.
    if ([...tag].length >= tagHeadMax) {
      conditions.push(`tag = ${parameter}`);
      name = '-by-long-tag';
    }
  }
  const words = wanted === undefined ? [] : toWantedWords(wanted);
  let word: string | undefined;
  if (words.length > 0) {
    values.push(toWordQuery(words));
    word = `words @@ $${values.length}::tsquery`;
    conditions.push(word);
    name += '-by-word';
  }
  return { conditions, values, word, name };
}

/**
 * The number of all plants beside each tag of a page, or beside null if there is none: one statement sees one state. A tag whose plants are
 * all gone may still have rows, which add up to 0.
 */
export function listTagsQuery({ prefix = '', after, limit }: TagPage): Query {
  const { from, to } = toPrefixRange(prefix);
  const isAfter = after !== undefined && Buffer.compare(Buffer.from(after), Buffer.from(from)) >= 0;
  const values: unknown[] = [isAfter ? after : from, limit];
  const conditions = [`tag_head >= left($1, 100) AND tag ${isAfter ? '>' : '>='} $1`];
  if (to !== undefined) {
    values.push(to);
    conditions.push('tag_head <= left($3, 100) AND tag < $3');
  }
  return {
    statement: {
      name: `list-tags${isAfter ? '-after' : ''}${to === undefined ? '' : '-within'}`,
      text: `WITH stored AS MATERIALIZED (${selectCount.text}), page AS MATERIALIZED (
          SELECT tag_head, tag, sum(plants)::int8 AS plants FROM tag_counts WHERE ${conditions.join(' AND ')}
          GROUP BY tag_head, tag HAVING sum(plants) > 0 ORDER BY tag_head, tag LIMIT $2
        )
        SELECT stored.plants, page.tag, page.plants FROM stored LEFT JOIN page ON true ORDER BY tag_head, tag`,
    },
    values,
  };
}

export function toPlant(row: Rows['rows'][number]): StoredPlant {
  return toContent(row[0] as bigint, row, 1);
}

/** Converts the fields from column `at` on, in the order of `plantFields`. */
export function toContent(id: bigint, row: Rows['rows'][number], at: number): StoredPlant {
  const [name, tag] = row.slice(at) as [string, string | null];
  return toStoredPlant(id, { name, tag });
}

export function toTagCounts(rows: Rows['rows']): TagCounts {
  const found = rows as readonly (readonly [stored: bigint, tag: string | null, plants: bigint])[];
  return {
    tags: found.flatMap(([, tag, plants]) => (tag === null ? [] : [{ tag, plants }])),
    stored: Number(found[0]?.[0]),
  };
}

/** Each word must begin a word of the name. A word has no quote and no backslash: both separate words. */
function toWordQuery(words: readonly string[]): string {
  return words.map((word) => `'${word}':*`).join(' & ');
}
