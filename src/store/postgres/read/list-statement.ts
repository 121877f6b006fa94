/** The SQL of a list without words, and its conditions, which searches use too. */
import type { ListFilter, PlantQuery } from '../../../domain/store.ts';
import { int64Max, int64Min } from '../../../json/int64.ts';
import type { IdRange } from '../../id-range.ts';
import type { BoundStatement } from '../connect/statement.ts';
import { plantColumns } from './values.ts';

/** Code points of a tag that its index has. */
const tagHeadMax = 100;

/** A page without words. */
export function listStatement(query: PlantQuery, range: IdRange): BoundStatement {
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

export function toConditions({ tag, untagged = false }: ListFilter, { from, to, isDescending }: IdRange): Conditions {
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
