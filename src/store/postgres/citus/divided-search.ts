/** A page of a search, of a divided database. */
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { ListFilter, PlantQuery } from '../../../domain/store.ts';
import { toIdRange } from '../../id-range.ts';
import type { BoundStatement } from '../connect/statement.ts';
import type { ManyServers } from '../division.ts';
import { toConditions } from '../read/list-statement.ts';
import { type Search, toLook, toSearch, toWordConditions, type Window } from '../read/plant-search.ts';
import { firstRows } from '../read/read-plant-page.ts';
import { plantColumns, toPlant } from '../read/values.ts';

/** Each bucket looks at some of its rows, then all are found by the index. */
export async function searchDivided(
  run: Parameters<ManyServers['search']>[0],
  query: PlantQuery,
  buckets: number,
): Promise<readonly StoredPlant[]> {
  const range = toIdRange(query);
  const search = toSearch(query);
  if (range === undefined || search === undefined) return [];
  const window = { range, rowsMax: firstRows / buckets, limit: query.limit };
  const first = (await run(firstStatement(query, search, window))).map(toPlant);
  return first.length === query.limit ? first : (await run(allStatement(query, search, window))).map(toPlant);
}

/** Does what `lookStatement` does, in each bucket. */
function firstStatement(filter: ListFilter, search: Search, window: Window): BoundStatement {
  const { text, values, name } = toLook(filter, search, window);
  return { statement: { name: `list-first${name}`, text }, values };
}

/**
 * All that match. Citus would collect all matches on the coordinator for a common table. The sum
 * keeps it from reading a bucket in the order of ids.
 */
function allStatement(filter: ListFilter, search: Search, { range, limit }: Window): BoundStatement {
  const { conditions, values, name, order } = toConditions(filter, range);
  const found = toWordConditions(search, values);
  values.push(limit);
  const text = `SELECT ${plantColumns} FROM plants WHERE ${[conditions, ...found.conditions].join(' AND ')}
    ORDER BY id + 0${order} LIMIT $${values.length}`;
  return { statement: { name: `list-divided${name}${found.name}`, text }, values };
}
