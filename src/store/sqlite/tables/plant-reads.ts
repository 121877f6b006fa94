/** SQL that reads plants on one connection. Writes are in plant-writes.ts. */
import type { DatabaseSync } from 'node:sqlite';
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { PlantFilter, PlantPage, TagCounts, TagPage } from '../../../domain/store.ts';
import { int64Max, int64Min } from '../../../json/int64.ts';
import { toPrefixRange } from '../../prefix-range.ts';
import { readTogether } from '../connection.ts';
import { preparePlantSearch } from './plant-search.ts';
import { plantColumns, prepareRows, toInteger, toPlant, toText } from './values.ts';

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
  const select = prepareRows(db, `SELECT ${plantColumns} FROM plants WHERE id >= ? ORDER BY id LIMIT ?`);
  const search = prepareRows(
    db,
    `SELECT ${plantColumns}
     FROM (SELECT rowid AS found FROM plant_words WHERE plant_words MATCH ? AND rowid >= ? ORDER BY rowid LIMIT ?)
     CROSS JOIN plants ON id = found ORDER BY found`,
  );
  const toMatch = preparePlantSearch(db);
  const noLimit = -1;
  return {
    list: ({ after, limit, ...filter }) => {
      if (after === int64Max) return [];
      const from = after === undefined ? int64Min : after + 1n;
      const match = toMatch(filter);
      return (match === undefined ? select.all(from, limit) : search.all(match, from, limit)).map(toPlant);
    },
    *scan(filter) {
      const match = toMatch(filter);
      const rows = match === undefined ? select.iterate(int64Min, noLimit) : search.iterate(match, int64Min, noLimit);
      for (const row of rows) yield toPlant(row);
    },
  };
}

function prepareTags(db: DatabaseSync): (page: TagPage) => TagCounts['tags'] {
  // One lower bound only: with two, SQLite uses the first, and a late page would scan all earlier
  // rows.
  const selectNext = db.prepare(
    'SELECT tag, plants FROM tag_counts WHERE tag >= max(?, ?) AND tag <> ? AND tag < ? ORDER BY tag LIMIT ?',
  );
  const selectFirst = db.prepare('SELECT tag, plants FROM tag_counts WHERE tag >= ? AND tag < ? ORDER BY tag LIMIT ?');
  return ({ prefix = '', after, limit }) => {
    const { from, to = afterTexts } = toPrefixRange(prefix);
    const rows = after === undefined ? selectFirst.all(from, to, limit) : selectNext.all(from, after, after, to, limit);
    return rows.map(({ tag, plants }) => ({ tag: toText(tag), plants: toInteger(plants) }));
  };
}
