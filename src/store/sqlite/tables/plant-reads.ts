/** SQL that reads plants on one connection. Writes are in plant-writes.ts. */
import type { DatabaseSync } from 'node:sqlite';
import type { StoredPlant, TagCount } from '../../../domain/schemas.ts';
import type { PlantFilter, PlantPage, TagPage } from '../../../domain/store.ts';
import { toPrefixRange } from '../../prefix-range.ts';
import { preparePlantSearch } from './plant-search.ts';
import { prepareRows, type Row, toInteger, toOptionalText, toText } from './values.ts';

export interface PlantReads {
  readonly find: (id: bigint) => StoredPlant | undefined;
  /** With `name`, call it in a transaction: a search reads the index twice. */
  readonly list: (page: PlantPage) => StoredPlant[];
  /** All plants that match the filter, ascending by id, row by row. One iteration at a time. */
  readonly scan: (filter: PlantFilter) => Iterable<StoredPlant>;
  readonly listTags: (page: TagPage) => TagCount[];
  readonly count: () => number;
}

const idMin = -(2n ** 63n);
const idMax = 2n ** 63n - 1n;
/** Sorts after every text: the upper bound of a range without one. */
const afterTexts = new Uint8Array();

export function preparePlantReads(db: DatabaseSync): PlantReads {
  const count = db.prepare('SELECT plants FROM plant_count');
  return {
    find: prepareFind(db),
    ...preparePages(db),
    listTags: prepareTags(db),
    count: () => Number(count.get()?.['plants']),
  };
}

/** Prepares the read of one plant by id. */
export function prepareFind(db: DatabaseSync): PlantReads['find'] {
  const select = prepareRows(db, 'SELECT id, name, tag FROM plants WHERE id = ?');
  return (id) => {
    const row = select.get(id);
    return row === undefined ? undefined : toPlant(row);
  };
}

function preparePages(db: DatabaseSync): Pick<PlantReads, 'list' | 'scan'> {
  const select = prepareRows(db, 'SELECT id, name, tag FROM plants WHERE id >= ? ORDER BY id LIMIT ?');
  const search = prepareRows(
    db,
    `SELECT p.id, p.name, p.tag
     FROM (SELECT rowid AS id FROM plant_words WHERE plant_words MATCH ? AND rowid >= ? ORDER BY rowid LIMIT ?) AS w
     CROSS JOIN plants AS p ON p.id = w.id ORDER BY w.id`,
  );
  const toMatch = preparePlantSearch(db);
  const noLimit = -1;
  return {
    list: ({ after, limit, ...filter }) => {
      if (after === idMax) return [];
      const from = after === undefined ? idMin : after + 1n;
      const match = toMatch(filter);
      return (match === undefined ? select.all(from, limit) : search.all(match, from, limit)).map(toPlant);
    },
    *scan(filter) {
      const match = toMatch(filter);
      const rows = match === undefined ? select.iterate(idMin, noLimit) : search.iterate(match, idMin, noLimit);
      for (const row of rows) yield toPlant(row);
    },
  };
}

function prepareTags(db: DatabaseSync): PlantReads['listTags'] {
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

function toPlant(row: Row): StoredPlant {
  const [id, name, tag] = [toInteger(row[0]), toText(row[1]), toOptionalText(row[2])];
  return tag === undefined ? { id, name } : { id, name, tag };
}
