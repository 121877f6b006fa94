/** One page of a list. Statements are in tables/plant-reads.ts. */
import type { StoredPlant } from '../../domain/schemas.ts';
import type { PagePart, PlantPage } from '../../domain/store.ts';
import { type IdRange, toIdRange } from '../id-range.ts';
import { listedWordsMax, lookedAtMax, toLookedUp, toWantedWords } from '../search-tokens.ts';
import type { Rows } from './connection.ts';
import type { Query } from './query.ts';
import { listQuery, toPlant } from './tables/plant-reads.ts';
import {
  containingQuery,
  dividedQuery,
  foundQuery,
  lookQuery,
  nearQuery,
  toDrivers,
  toFound,
  toSearch,
  type WordsOf,
} from './tables/plant-search.ts';

/**
 * Rows that a page of a search looks at in the order of ids before it asks the index of words:
 * some milliseconds. A page of 100 is full after them if one plant in 80 matches.
 */
const firstRows = 8_000;
/** Plants that the index of words may give at a time: some 20 ms. */
const matchesMax = 10_000;

type Run = (query: Query) => Promise<Rows['rows']>;

/**
 * Where many plants have the words, the page is full after a few rows in the order of ids;
 * where few have one of them, the index of words finds these at once. Otherwise, the page looks
 * at more rows, up to a limit.
 */
export async function readPage(run: Run, page: PlantPage, buckets: number): Promise<PagePart> {
  const range = toIdRange(page);
  if (range === undefined) return { plants: [], next: undefined };
  const wanted = toWantedWords(page);
  if (wanted.length === 0) return { plants: (await run(listQuery(page, range))).map(toPlant), next: undefined };
  if (buckets > 1) return { plants: await readDivided(run, page, range, buckets), next: undefined };
  const near = await look(run, page, firstRows);
  if (near.next === undefined) return near;
  const wordsOf = await findWords(run, toLookedUp(wanted), buckets);
  for (const driver of toDrivers(page, wordsOf)) {
    const query = foundQuery(page, driver, { range, limit: page.limit, matchesMax });
    const { state: hasMore, plants } = toFound(await run(query));
    if (hasMore === false) return { plants, next: undefined };
  }
  const { plants, next } = await look(run, near.next, lookedAtMax - firstRows);
  return { plants: [...near.plants, ...plants], next };
}

async function look(run: Run, page: PlantPage, rowsMax: number): Promise<PagePart> {
  const range = toIdRange(page);
  if (range === undefined) return { plants: [], next: undefined };
  const { limit } = page;
  const { state: last, plants } = toFound(await run(lookQuery(page, { range, rowsMax, limit })));
  const isOver = typeof last !== 'bigint' || plants.length === limit;
  return { plants, next: isOver ? undefined : { ...page, after: last, limit: limit - plants.length } };
}

/** Of a divided database, each bucket looks at some of its rows, then all are found by the index. */
async function readDivided(
  run: Run,
  page: PlantPage,
  range: IdRange,
  buckets: number,
): Promise<readonly StoredPlant[]> {
  const window = { range, rowsMax: firstRows / buckets, limit: page.limit };
  const near = (await run(nearQuery(page, window))).map(toPlant);
  if (near.length === page.limit) return near;
  const search = toSearch(page, await findWords(run, toLookedUp(toWantedWords(page)), buckets));
  return (await run(dividedQuery(page, search, window))).map(toPlant);
}

/** Of each part, the words in use that contain it; undefined if they are too many. */
async function findWords(run: Run, parts: readonly string[], buckets: number): Promise<WordsOf> {
  const found = new Map<string, readonly string[] | undefined>();
  for (const part of parts) {
    const words = new Set((await run(containingQuery(part, buckets))).map(([word]) => String(word)));
    found.set(part, words.size > listedWordsMax ? undefined : [...words]);
  }
  return found;
}
