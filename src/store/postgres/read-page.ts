/** One page of a list. Statements are in tables/plant-reads.ts. */
import type { StoredPlant } from '../../domain/schemas.ts';
import type { PlantPage } from '../../domain/store.ts';
import { type IdRange, toIdRange } from '../id-range.ts';
import { toWantedWords } from '../search-tokens.ts';
import type { Rows } from './connection.ts';
import type { Query } from './query.ts';
import { dividedQuery, foundQuery, listQuery, nearQuery, toFound, toPlant } from './tables/plant-reads.ts';

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
  const { limit, name } = page;
  let range = toIdRange(page);
  if (range === undefined) return [];
  if (name === undefined || toWantedWords(name).length === 0) return (await run(listQuery(page, range))).map(toPlant);
  let rowsMax = firstRows / buckets;
  const near = (await run(nearQuery(page, { range, rowsMax, limit }))).map(toPlant);
  if (near.length === limit) return near;
  if (buckets > 1) return (await run(dividedQuery(page, { range, rowsMax, limit }))).map(toPlant);
  const plants: StoredPlant[] = [];
  while (range !== undefined && plants.length < limit) {
    const window = { range, rowsMax, limit: limit - plants.length };
    const found = toFound(await run(foundQuery(page, window, matchesPerRow * rowsMax)));
    plants.push(...found.plants);
    range = found.next === undefined ? undefined : startAt(found.next, range);
    rowsMax = Math.min(rowsMax * growth, rowsAtMost);
  }
  return plants;
}

function startAt(id: bigint, range: IdRange): IdRange {
  return range.isDescending ? { ...range, to: id } : { ...range, from: id };
}
