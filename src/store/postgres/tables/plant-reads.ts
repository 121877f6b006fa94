/** The SQL that reads plants: rows out. Connections and snapshots are not here. */
import type { StoredPlant, TagCount } from '../../../domain/schemas.ts';
import type { PlantFilter, PlantPage, TagPage } from '../../../domain/store.ts';
import { toPrefixRange } from '../../prefix-range.ts';
import { toWantedWords } from '../../search-tokens.ts';
import type { Rows, Statement } from '../connection.ts';

/** A statement with its values. */
export interface Query {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

const idMin = -(2n ** 63n);
const idMax = 2n ** 63n - 1n;

const selectOne: Statement = { name: 'find-plant', text: 'SELECT id, name, tag FROM plants WHERE id = $1' };
const selectCount: Statement = {
  name: 'count-plants',
  text: 'SELECT coalesce(sum(plants), 0)::int8 FROM plant_counts',
};

export function findQuery(id: bigint): Query {
  return { statement: selectOne, values: [id] };
}

export function countQuery(): Query {
  return { statement: selectCount, values: [] };
}

/** The plants that match, ascending by id; undefined when no plant can. Without `limit`, all of them. */
export function listQuery(page: PlantFilter & Partial<PlantPage>): Query | undefined {
  if (page.after === idMax) return undefined;
  const values: unknown[] = [page.after === undefined ? idMin : page.after + 1n];
  const conditions = ['id >= $1'];
  let name = 'list-plants';
  if (page.tag !== undefined) {
    values.push(page.tag);
    // The first condition is the one that the index knows.
    conditions.push(`left(tag, 100) = left($${values.length}, 100) AND tag = $${values.length}`);
    name += '-by-tag';
  }
  const words = page.name === undefined ? [] : toWantedWords(page.name);
  if (words.length > 0) {
    values.push(toWordQuery(words));
    conditions.push(`words @@ $${values.length}::tsquery`);
    name += '-by-word';
  }
  let text = `SELECT id, name, tag FROM plants WHERE ${conditions.join(' AND ')} ORDER BY id`;
  if (page.limit !== undefined) {
    values.push(page.limit);
    text += ` LIMIT $${values.length}`;
    name += '-page';
  }
  return { statement: { name, text }, values };
}

/** The tags of a page. A tag whose plants are all gone still has rows, which add up to 0. */
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
      text: `SELECT tag, sum(plants)::int8 FROM tag_counts WHERE ${conditions.join(' AND ')}
        GROUP BY tag_head, tag HAVING sum(plants) > 0 ORDER BY tag_head, tag LIMIT $2`,
    },
    values,
  };
}

export function toPlant(row: Rows['rows'][number]): StoredPlant {
  const [id, name, tag] = row as readonly [bigint, string, string | null];
  return tag === null ? { id, name } : { id, name, tag };
}

export function toTagCount(row: Rows['rows'][number]): TagCount {
  const [tag, plants] = row as readonly [string, bigint];
  return { tag, plants };
}

/** Each word must begin a word of the name. A word has no quote and no backslash: both separate words. */
function toWordQuery(words: readonly string[]): string {
  return words.map((word) => `'${word}':*`).join(' & ');
}
