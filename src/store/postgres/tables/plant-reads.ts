/** The SQL that reads plants: rows out. Connections and snapshots are not here. */
import { plantFields, toStoredPlant } from '../../../domain/plant.ts';
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { PlantFilter, PlantPage, TagCounts, TagPage } from '../../../domain/store.ts';
import { int64Max, int64Min } from '../../../json/int64.ts';
import { allIds, type IdRange } from '../../id-range.ts';
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

/** Code points of a tag that its index has. */
const tagHeadMax = 100;

/** All plants that match, ascending by id. */
export function scanQuery(filter: PlantFilter): Query {
  const { conditions, values, name } = toConditions(filter, allIds);
  const text = `SELECT ${plantColumns} FROM plants WHERE ${conditions.join(' AND ')} ORDER BY id`;
  return { statement: { name: `scan${name}`, text }, values };
}

/** A page without words. */
export function listQuery(page: PlantPage, range: IdRange): Query {
  const { conditions, values, name, order } = toConditions(page, range);
  values.push(page.limit);
  const text = `SELECT ${plantColumns} FROM plants WHERE ${conditions.join(' AND ')} ORDER BY id${order} LIMIT $${values.length}`;
  return { statement: { name: `list${name}`, text }, values };
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
export function foundQuery(filter: PlantFilter, window: Window, matchesMax: number): Query {
  const { text: near, values, name, order, word, others, limit, rowsMax } = toNear(filter, window);
  values.push(matchesMax);
  const most = `$${values.length}::int8`;
  const text = `WITH rest AS MATERIALIZED (SELECT id FROM plants WHERE ${others} ORDER BY id${order} OFFSET ${rowsMax} LIMIT 1),
      near AS MATERIALIZED (${near}),
      matching AS MATERIALIZED (SELECT ${plantColumns} FROM plants WHERE ${word}),
      found AS MATERIALIZED (SELECT * FROM matching
        WHERE (SELECT count(*) FROM near) < ${limit} AND EXISTS (SELECT FROM rest) LIMIT ${most} + 1),
      state AS MATERIALIZED (SELECT (SELECT id FROM rest) AS next, (SELECT count(*) FROM found) AS matches)
    SELECT CASE WHEN matches > ${most} THEN next END, page.* FROM state LEFT JOIN (
      SELECT * FROM near WHERE (SELECT matches = 0 OR matches > ${most} FROM state)
      UNION ALL SELECT * FROM found WHERE ${others} AND (SELECT matches <= ${most} FROM state)
    ) AS page ON true ORDER BY id${order} LIMIT ${limit}`;
  return { statement: { name: `list-found${name}`, text }, values };
}

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
export function dividedQuery(filter: PlantFilter, { range, limit }: Window): Query {
  const { conditions, values, name, order } = toConditions(filter, range);
  values.push(limit);
  const text = `SELECT ${plantColumns} FROM plants WHERE ${conditions.join(' AND ')} ORDER BY id + 0${order} LIMIT $${values.length}`;
  return { statement: { name: `list-divided${name}`, text }, values };
}

/** The limit inside keeps the server from asking the index of words. */
function toNear(filter: PlantFilter, window: Window) {
  const { conditions, values, name, order, word = 'true' } = toConditions(filter, window.range);
  values.push(window.limit, window.rowsMax);
  const [limit, rowsMax] = [`$${values.length - 1}::int8`, `$${values.length}::int8`];
  const others = conditions.filter((condition) => condition !== word).join(' AND ');
  const text = `SELECT ${plantColumns} FROM (
      SELECT ${plantColumns}, words FROM plants WHERE ${others} ORDER BY id${order} LIMIT ${rowsMax}
    ) AS near WHERE ${word} ORDER BY id${order} LIMIT ${limit}`;
  return { text, values, name, order, word, others, limit, rowsMax };
}

interface Conditions {
  readonly conditions: readonly string[];
  readonly values: unknown[];
  /** For the name of a statement. */
  readonly name: string;
  /** After the id that a list is ordered by. */
  readonly order: '' | ' DESC';
  /** The condition on words. */
  readonly word: string | undefined;
}

function toConditions({ tag, name: wanted }: PlantFilter, { from, to, isDescending }: IdRange): Conditions {
  const values: unknown[] = [isDescending ? to : from];
  const conditions = [isDescending ? 'id <= $1' : 'id >= $1'];
  let name = isDescending ? '-desc' : '';
  // A second bound would make the server expect fewer plants than there are.
  if (isDescending ? from > int64Min : to < int64Max) {
    values.push(isDescending ? from : to);
    conditions.push(isDescending ? 'id >= $2' : 'id <= $2');
    name += '-to';
  }
  if (tag !== undefined) {
    values.push(tag);
    const parameter = `$${values.length}`;
    conditions.push(`left(tag, ${tagHeadMax}) = left(${parameter}, ${tagHeadMax})`);
    const isLong = [...tag].length >= tagHeadMax;
    name += isLong ? '-by-long-tag' : '-by-tag';
    // A shorter tag is all in the index. A second condition would make the server expect far
    // fewer plants than there are, and read and sort all of them for a page.
    if (isLong) conditions.push(`tag = ${parameter}`);
  }
  const words = wanted === undefined ? [] : toWantedWords(wanted);
  let word: string | undefined;
  if (words.length > 0) {
    values.push(toWordQuery(words));
    word = `words @@ $${values.length}::tsquery`;
    conditions.push(word);
    name += '-by-word';
  }
  return { conditions, values, word, name, order: isDescending ? ' DESC' : '' };
}

/**
 * The number of all plants beside each tag of a page, or beside null if there is none: one
 * statement sees one state. A tag whose plants are all gone may still have rows, which add up
 * to 0.
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

/**
 * Each word must begin a word of the name. A word has no quote and no backslash: both separate
 * words.
 */
function toWordQuery(words: readonly string[]): string {
  return words.map((word) => `'${word}':*`).join(' & ');
}
