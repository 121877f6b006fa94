/** SQL that reads plants on one connection. Writes are in plant-writes.ts. */
import type { DatabaseSync } from 'node:sqlite';
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { PlantPage, ListFilter, PlantQuery, TagCounts, TagQuery } from '../../../domain/store.ts';
import { allIds, toIdRange } from '../../id-range.ts';
import { toPrefixRange } from '../../prefix-range.ts';
import { lookedAtMax } from '../../search-terms.ts';
import { readTogether } from '../connection.ts';
import { type IndexQuery, preparePlantSearch } from './plant-search.ts';
import { plantColumns, prepareRows, type SqlRow, takeRows, toInteger, toPlant, toText } from './values.ts';

export interface PreparedPlantReads {
  readonly find: (id: bigint) => StoredPlant | undefined;
  /**
   * Without words, the whole page. With words what one look at some plants finds of it; call it in a
   * transaction then: a search reads the index twice.
   */
  readonly list: (query: PlantQuery) => PlantPage;
  /** All plants that match the filter, ascending by id, row by row. One iteration at a time. */
  readonly scan: (filter: ListFilter) => Iterable<StoredPlant>;
  readonly listTags: (query: TagQuery) => TagCounts;
  readonly count: () => number;
}

/** Plants that one look sees, if the index does not know which match: some 20 ms. */
const lookRows = 10_000;
/** Looks for one page. */
export const looksMax = lookedAtMax / lookRows;

/** Sorts after every text: the upper bound of a range without one. */
const afterTexts = new Uint8Array();

export function preparePlantReads(db: DatabaseSync): PreparedPlantReads {
  const selectCount = db.prepare('SELECT plants FROM plant_count');
  const count = (): number => Number(selectCount.get()?.['plants']);
  const listTags = prepareTags(db);
  return {
    find: prepareFind(db),
    ...preparePages(db),
    listTags: (query) => readTogether(db, () => ({ tags: listTags(query), stored: count() })),
    count,
  };
}

/** Prepares the read of one plant by id. */
export function prepareFind(db: DatabaseSync): PreparedPlantReads['find'] {
  const select = prepareRows(db, `SELECT ${plantColumns} FROM plants WHERE id = ?`);
  return (id) => {
    const row = select.get(id);
    return row === undefined ? undefined : toPlant(row);
  };
}

function preparePages(db: DatabaseSync): Pick<PreparedPlantReads, 'list' | 'scan'> {
  const ascending = prepareOrder(db, 'ASC');
  const descending = prepareOrder(db, 'DESC');
  const toQuery = preparePlantSearch(db);
  const noLimit = -1;
  const list: PreparedPlantReads['list'] = (query) => {
    const range = toIdRange(query);
    if (range === undefined) return { plants: [], next: undefined };
    const { select, search } = range.isDescending ? descending : ascending;
    const { match, isWanted } = toQuery(query);
    const { from, to } = range;
    if (isWanted === undefined) {
      // All at once: half the time of one after another.
      const rows = match === undefined ? select.all(from, to, query.limit) : search.all(match, from, to, query.limit);
      return { plants: rows.map(toPlant), next: undefined };
    }
    const rows = match === undefined ? select.iterate(from, to, lookRows) : search.iterate(match, from, to, lookRows);
    return takeWanted(rows, isWanted, query);
  };
  return {
    list,
    *scan(filter) {
      const { select, search } = ascending;
      const { match, isWanted } = toQuery(filter);
      const bounds = [allIds.from, allIds.to, noLimit] as const;
      const rows = match === undefined ? select.iterate(...bounds) : search.iterate(match, ...bounds);
      for (const row of rows) {
        const plant = toPlant(row);
        if (isWanted?.(plant) !== false) yield plant;
      }
    },
  };
}

/** Takes the plants that are wanted from the first `lookRows` of the page. */
function takeWanted(
  rows: Iterable<SqlRow>,
  isWanted: NonNullable<IndexQuery['isWanted']>,
  query: PlantQuery,
): PlantPage {
  const plants: StoredPlant[] = [];
  let looked = 0;
  for (const row of rows) {
    const plant = toPlant(row);
    looked += 1;
    if (isWanted(plant)) plants.push(plant);
    if (plants.length === query.limit) break;
    if (looked === lookRows) return { plants, next: { ...query, after: plant.id, limit: query.limit - plants.length } };
  }
  return { plants, next: undefined };
}

/** The planner reads the value of a bare `LIMIT ?`, and compiles the statement again for another one: hence `? + 0`. */
function prepareOrder(db: DatabaseSync, order: 'ASC' | 'DESC') {
  const found = `SELECT rowid AS found FROM plant_words WHERE plant_words MATCH ? AND rowid BETWEEN ? AND ?
     ORDER BY rowid ${order} LIMIT ? + 0`;
  return {
    select: prepareRows(
      db,
      `SELECT ${plantColumns} FROM plants WHERE id BETWEEN ? AND ? ORDER BY id ${order} LIMIT ? + 0`,
    ),
    search: prepareRows(
      db,
      `SELECT ${plantColumns} FROM (${found}) CROSS JOIN plants ON id = found ORDER BY found ${order}`,
    ),
  };
}

function prepareTags(db: DatabaseSync): (query: TagQuery) => TagCounts['tags'] {
  // Use a single lower bound: SQLite would use the first of two, and scan all rows before the
  // second.
  const selectNext = prepareRows(
    db,
    'SELECT tag, plants FROM tag_counts WHERE tag >= max(?, ?) AND tag <> ? AND tag < ? ORDER BY tag LIMIT ? + 0',
  );
  const selectFirst = prepareRows(
    db,
    'SELECT tag, plants FROM tag_counts WHERE tag >= ? AND tag < ? ORDER BY tag LIMIT ? + 0',
  );
  return ({ prefix = '', after, limit }) => {
    const { from, to = afterTexts } = toPrefixRange(prefix);
    const found =
      after === undefined ? selectFirst.iterate(from, to, limit) : selectNext.iterate(from, after, after, to, limit);
    return takeRows(found).rows.map((row) => ({ tag: toText(row[0]), plants: toInteger(row[1]) }));
  };
}
