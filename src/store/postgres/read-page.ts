/** One page of a list. Statements are in tables/plant-reads.ts. */
import type { StoredPlant } from '../../domain/schemas.ts';
import type { PlantPage } from '../../domain/store.ts';
import { type IdRange, toIdRange } from '../id-range.ts';
import { listedWordsMax, toWantedWords } from '../search-tokens.ts';
import type { Rows } from './connection.ts';
import type { Query } from './query.ts';
import { listQuery, toPlant } from './tables/plant-reads.ts';
import {
  containingQuery,
  dividedQuery,
  foundQuery,
  nearQuery,
  toFound,
  toParts,
  toSearch,
} from './tables/plant-search.ts';

/**
 * Rows that a page of a search looks at in the order of ids before it asks the index of words:
 * some milliseconds. A page of 100 is full after them if one plant in 80 matches; of that many
 * matches, the index would read all (measured: 100 ms for 25,000).
 */
const firstRows = 8_000;
/**
 * The next look reads so many times as much, so that all of them together cost little more than
 * the last.
 */
const growth = 4;
/** One statement must end within its time. */
const rowsAtMost = 256_000;
/** Matches that the index of words may give for each row that is looked at. */
const matchesPerRow = 4;

/**
 * Where many plants have the words, the page is full after a few rows in the order of ids;
 * where few have them, the index of words finds all at once. Which of the two it is becomes
 * known by trying both, each time further: neither costs much more than the better one.
 */
export async function readPage(
  run: (query: Query) => Promise<Rows['rows']>,
  page: PlantPage,
  buckets: number,
): Promise<readonly StoredPlant[]> {
  const { limit } = page;
  let range = toIdRange(page);
  if (range === undefined) return [];
  if (toWantedWords(page).length === 0) return (await run(listQuery(page, range))).map(toPlant);
  let rowsMax = firstRows / buckets;
  const near = (await run(nearQuery(page, { range, rowsMax, limit }))).map(toPlant);
  if (near.length === limit) return near;
  const search = toSearch(page, await findWords(run, toParts(page), buckets));
  if (buckets > 1) return (await run(dividedQuery(page, search, { range, rowsMax, limit }))).map(toPlant);
  const plants: StoredPlant[] = [];
  while (range !== undefined && plants.length < limit) {
    const window = { range, rowsMax, limit: limit - plants.length };
    const found = toFound(await run(foundQuery(page, search, window, matchesPerRow * rowsMax)));
    plants.push(...found.plants);
    range = found.next === undefined ? undefined : startAt(found.next, range);
    rowsMax = Math.min(rowsMax * growth, rowsAtMost);
  }
  return plants;
}

/** Of each part, the words in use that contain it; undefined if they are too many. */
async function findWords(
  run: (query: Query) => Promise<Rows['rows']>,
  parts: readonly string[],
  buckets: number,
): Promise<ReadonlyMap<string, readonly string[] | undefined>> {
  const found = new Map<string, readonly string[] | undefined>();
  for (const part of parts) {
    const words = new Set((await run(containingQuery(part, buckets))).map(([word]) => String(word)));
    found.set(part, words.size > listedWordsMax ? undefined : [...words]);
  }
  return found;
}

function startAt(id: bigint, range: IdRange): IdRange {
  return range.isDescending ? { ...range, to: id } : { ...range, from: id };
}
