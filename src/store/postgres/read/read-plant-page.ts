/** One page of a list. The SQL is in list-statement.ts and plant-search.ts. */
import type { PlantPage, PlantQuery } from '../../../domain/store.ts';
import { toIdRange } from '../../id-range.ts';
import { lookedAtMax } from '../../search-terms.ts';
import type { Rows } from '../connect/connection.ts';
import type { BoundStatement } from '../connect/statement.ts';
import type { Division } from '../division.ts';
import { listStatement } from './list-statement.ts';
import { foundStatement, lookStatement, type Search, toFound, toSearch } from './plant-search.ts';
import { toPlant } from './values.ts';

/**
 * Rows that a page of a search looks at in the order of ids before it asks the index of words:
 * some milliseconds. A page of 100 is full after them if one plant in 80 matches.
 */
export const firstRows = 8_000;
/** Plants that the index of words may give: some 20 ms. */
const matchesMax = 10_000;

type Run = (statement: BoundStatement) => Promise<Rows['rows']>;

/**
 * Where many plants have the words, the page is full after a few rows in the order of ids;
 * where few have them, the index of words finds these at once. Otherwise, the page looks at more
 * rows, up to a limit.
 */
export async function readPlantPage(run: Run, query: PlantQuery, { servers }: Division): Promise<PlantPage> {
  const range = toIdRange(query);
  if (range === undefined) return { plants: [], next: undefined };
  const search = toSearch(query);
  if (search === undefined) return { plants: (await run(listStatement(query, range))).map(toPlant), next: undefined };
  if (servers !== undefined) return { plants: await servers.search(run, query), next: undefined };
  const first = await look(run, query, search, firstRows);
  if (first.next === undefined) return first;
  if (search.indexed.length > 0) {
    const statement = foundStatement(query, search, { range, limit: query.limit, matchesMax });
    const { state: hasMore, plants } = toFound(await run(statement));
    if (hasMore === false) return { plants, next: undefined };
  }
  const { plants, next } = await look(run, first.next, search, lookedAtMax - firstRows);
  return { plants: [...first.plants, ...plants], next };
}

async function look(run: Run, query: PlantQuery, search: Search, rowsMax: number): Promise<PlantPage> {
  const range = toIdRange(query);
  if (range === undefined) return { plants: [], next: undefined };
  const { limit } = query;
  const { state: last, plants } = toFound(await run(lookStatement(query, search, { range, rowsMax, limit })));
  const isOver = typeof last !== 'bigint' || plants.length === limit;
  return { plants, next: isOver ? undefined : { ...query, after: last, limit: limit - plants.length } };
}
