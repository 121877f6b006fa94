/** SQL that reads plants on one connection. Writes are in plant-writes.ts. */
import type { DatabaseSync } from 'node:sqlite';
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { PlantFilter, PlantPage, TagCounts, TagPage } from '../../../domain/store.ts';
import { allIds, toIdRange } from '../../id-range.ts';
import { toPrefixRange } from '../../prefix-range.ts';
import { readTogether } from '../connection.ts';
import { preparePlantSearch } from './plant-search.ts';
import { plantColumns, prepareRows, takeRows, toInteger, toPlant, toText } from './values.ts';

export interface PlantReads {
  readonly find: (id: bigint) => StoredPlant | undefined;
  /** With `name`, call it in a transaction: a search reads the index twice. */
  readonly list: (page: PlantPage) => StoredPlant[];
  /** All plants that match the filter, ascending by id, row by row. One iteration at a time. */
  readonly scan: (filter: PlantFilter) => Iterable<StoredPlant>;
  readonly listTags: (page: TagPage) => TagCounts;
  readonly count: () => number;
}

/** Sorts after every text: the upper bound of a range without one. */
const afterTexts = new Uint8Array();

export function preparePlantReads(db: DatabaseSync): PlantReads {
  const selectCount = db.prepare('SELECT plants FROM plant_count');
  const count = (): number => Number(selectCount.get()?.['plants']);
  const listTags = prepareTags(db);
  return {
    find: prepareFind(db),
    ...preparePages(db),
    listTags: (page) => readTogether(db, () => ({ tags: listTags(page), stored: count() })),
    count,
  };
}

/** Prepares the read of one plant by id. */
export function prepareFind(db: DatabaseSync): PlantReads['find'] {
  const select = prepareRows(db, `SELECT ${plantColumns} FROM plants WHERE id = ?`);
  return (id) => {
    const row = select.get(id);
    return row === undefined ? undefined : toPlant(row);
  };
}

function preparePages(db: DatabaseSync): Pick<PlantReads, 'list' | 'scan'> {
  const ascending = prepareOrder(db, 'ASC');
  const descending = prepareOrder(db, 'DESC');
  const toMatch = preparePlantSearch(db);
  const noLimit = -1;
  return {
    list: (page) => {
      const range = toIdRange(page);
      if (range === undefined) return [];
      const { select, search } = range.isDescending ? descending : ascending;
      const match = toMatch(page);
      const bounds = [range.from, range.to, page.limit] as const;
      return (match === undefined ? select.all(...bounds) : search.all(match, ...bounds)).map(toPlant);
    },
    *scan(filter) {
      const { select, search } = ascending;
      const match = toMatch(filter);
      const bounds = [allIds.from, allIds.to, noLimit] as const;
      const rows = match === undefined ? select.iterate(...bounds) : search.iterate(match, ...bounds);
      for (const row of rows) yield toPlant(row);
    },
  };
}

function prepareOrder(db: DatabaseSync, order: 'ASC' | 'DESC') {
  const found = `SELECT rowid AS found FROM plant_words WHERE plant_words MATCH ? AND rowid BETWEEN ? AND ?
     ORDER BY rowid ${order} LIMIT ?`;
  return {
    select: prepareRows(db, `SELECT ${plantColumns} FROM plants WHERE id BETWEEN ? AND ? ORDER BY id ${order} LIMIT ?`),
    search: prepareRows(
      db,
      `SELECT ${plantColumns} FROM (${found}) CROSS JOIN plants ON id = found ORDER BY found ${order}`,
    ),
  };
}

function prepareTags(db: DatabaseSync): (page: TagPage) => TagCounts['tags'] {
  // One lower bound only: with two, SQLite uses the first, and a late page would scan all earlier
  // rows.
  const selectNext = prepareRows(
    db,
    'SELECT tag, plants FROM tag_counts WHERE tag >= max(?, ?) AND tag <> ? AND tag < ? ORDER BY tag LIMIT ?',
  );
  const selectFirst = prepareRows(
    db,
    'SELECT tag, plants FROM tag_counts WHERE tag >= ? AND tag < ? ORDER BY tag LIMIT ?',
  );
  return ({ prefix = '', after, limit }) => {
    const { from, to = afterTexts } = toPrefixRange(prefix);
    const found =
      after === undefined ? selectFirst.iterate(from, to, limit) : selectNext.iterate(from, after, after, to, limit);
    return takeRows(found).rows.map((row) => ({ tag: toText(row[0]), plants: toInteger(row[1]) }));
  };
}
