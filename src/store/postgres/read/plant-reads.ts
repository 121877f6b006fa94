/** The SQL that reads plants: rows out. Connections and snapshots are not here. */
import { plantFields, toStoredPlant } from '../../../domain/plant.ts';
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { PlantFilter, PlantQuery, TagCounts, TagQuery } from '../../../domain/store.ts';
import { int64Max, int64Min } from '../../../json/int64.ts';
import type { IdRange } from '../../id-range.ts';
import { toPrefixRange } from '../../prefix-range.ts';
import type { Rows, Statement } from '../connect/connection.ts';
import type { Query } from '../connect/query.ts';

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

/** A page without words. */
export function listQuery(query: PlantQuery, range: IdRange): Query {
  const { conditions, values, name, order } = toConditions(query, range);
  values.push(query.limit);
  const text = `SELECT ${plantColumns} FROM plants WHERE ${conditions} ORDER BY id${order} LIMIT $${values.length}`;
  return { statement: { name: `list${name}`, text }, values };
}

export interface Conditions {
  /** All but those on words. */
  readonly conditions: string;
  readonly values: unknown[];
  /** For the name of a statement. */
  readonly name: string;
  /** After the id that a list is ordered by. */
  readonly order: '' | ' DESC';
}

export function toConditions({ tag, untagged = false }: PlantFilter, { from, to, isDescending }: IdRange): Conditions {
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
  if (untagged) {
    conditions.push('tag IS NULL');
    name += '-untagged';
  }
  return { conditions: conditions.join(' AND '), values, name, order: isDescending ? ' DESC' : '' };
}

/**
 * The number of all plants beside each tag of a page, or beside null if there is none: one
 * statement sees one state. A tag whose plants are all gone may still have rows, which add up
 * to 0.
 */
export function listTagsQuery({ prefix = '', after, limit }: TagQuery): Query {
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
