/**
 * The indexes of the plants, by tag and by name. While the store is small each write changes them. In a large one the entries of a new plant
 * would fall on two pages of their own, so they wait in a log and are merged many at a time, in the order of each index.
 *
 * No index ever has a wrong entry; it only lacks those that wait, so whoever reads by an index merges first. Transactions are not begun here.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { StoredPlant } from '../../domain/schemas.ts';
import { toNameKey } from '../name-key.ts';

export interface IndexTuning {
  /** Number of plants from which on new entries wait. */
  readonly waitFrom: number;
  /** Rows of the log that are merged in one run. */
  readonly runRows: number;
}

/**
 * Below a quarter of a million plants both indexes are read and written in memory, and waiting would only cost. A run of 32,768 puts five entries
 * on a page of a million plants' tags (measured there: 31 us a create, not 52), and sorting it holds up one batch for 90 ms at most.
 */
export const indexTuning: IndexTuning = { waitFrom: 262_144, runRows: 32_768 };

/** Rows of a run that are merged with each change of a batch: with two, a run is over before the next one is due. */
const mergedPerChange = 2;

/**
 * SQL for the entries of one index that wait, as the last row of the log on each leaves them: SQLite takes bare columns from the row of the maximum
 * (sqlite.org/lang_select.html#bareagg).
 */
export function waitingEntries(column: 'tag' | 'key'): string {
  return `SELECT ${column}, id
    FROM (SELECT ${column}, id, change, max(n) FROM index_log WHERE ${column} IS NOT NULL GROUP BY ${column}, id)
    WHERE change = 1`;
}

export class PlantIndexes {
  readonly #tuning: IndexTuning;
  readonly #sql: ReturnType<typeof prepare>;
  #mustWait = false;
  /** Rows in the log. */
  #waiting = 0;
  /** The last row of the log that the present run covers. */
  #runTo: bigint | undefined;
  #changes = 0;

  /** @throws Error when the tables are missing. */
  constructor(db: DatabaseSync, tuning: IndexTuning) {
    this.#tuning = tuning;
    db.exec(temporaryTables);
    this.#sql = prepare(db);
    this.forget();
  }

  /** Whether entries wait. */
  get areBehind(): boolean {
    return this.#waiting > 0;
  }

  /** Whether a new plant would wait, in a store of so many. */
  mustWait(plants: number): boolean {
    return this.areBehind || plants >= this.#tuning.waitFrom;
  }

  /** Belongs at the start of each transaction that changes plants. */
  begin(plants: number): void {
    this.#mustWait = this.mustWait(plants);
    this.#changes = 0;
  }

  /** Notes a plant that is new. */
  add({ id, name, tag }: StoredPlant): void {
    if (this.#mustWait) {
      this.#log(1, id, tag, toNameKey(name));
      return;
    }
    this.#sql.insertName.run(toNameKey(name), id);
    if (tag !== undefined) this.#sql.insertTag.run(tag, id);
  }

  /** Changes the entries at once, for a reader must not find the plant under what it was. */
  replace(stored: StoredPlant, { name, tag }: StoredPlant): void {
    const { id } = stored;
    const [oldKey, key] = [toNameKey(stored.name), toNameKey(name)];
    this.#remove(id, stored.tag === tag ? undefined : stored.tag, oldKey === key ? undefined : oldKey);
    if (oldKey !== key) this.#sql.insertName.run(key, id);
    if (stored.tag !== tag && tag !== undefined) this.#sql.insertTag.run(tag, id);
  }

  remove({ id, name, tag }: StoredPlant): void {
    this.#remove(id, tag, toNameKey(name));
  }

  /** Merges a share of what waits, once there is enough; belongs before each commit. */
  mergeShare(): void {
    const isDue = this.#runTo !== undefined || this.#waiting >= this.#tuning.runRows;
    if (isDue && this.#changes > 0) this.merge(mergedPerChange * this.#changes);
  }

  /** Merges up to so many entries of each index. */
  merge(rows: number): void {
    const sql = this.#sql;
    this.#runTo ??= this.#startRun();
    sql.mergeTags.run(rows);
    sql.dropMergedTags.run(rows);
    sql.mergeNames.run(rows);
    sql.dropMergedNames.run(rows);
    if (sql.findUnmerged.get() !== undefined) return;
    this.#waiting -= Number(sql.trimLog.run(this.#runTo).changes);
    this.#runTo = undefined;
  }

  /** Takes up what the file says, when a transaction was rolled back. */
  forget(): void {
    this.#waiting = Number(this.#sql.countLog.get()?.['rows']);
    this.#runTo = undefined;
  }

  #remove(id: bigint, tag: string | undefined, key: string | undefined): void {
    const sql = this.#sql;
    if (tag !== undefined) sql.deleteTag.run(tag, id);
    if (key !== undefined) sql.deleteName.run(key, id);
    if (!this.#mustWait) return;
    // Entries that wait, in the log or in a run, must not come back.
    this.#log(-1, id, tag, key);
    if (tag !== undefined) sql.deleteWaitingTag.run(tag, id);
    if (key !== undefined) sql.deleteWaitingName.run(key, id);
  }

  #log(change: 1 | -1, id: bigint, tag: string | undefined, key: string | undefined): void {
    this.#sql.log.run(change, id, tag ?? null, key ?? null);
    this.#waiting += 1;
    this.#changes += 1;
  }

  /** Sorts what waits into the temporary tables. Returns the last row of the log that this covers. */
  #startRun(): bigint {
    const sql = this.#sql;
    const to = sql.findLast.get()?.['n'] as bigint;
    sql.clearTags.run();
    sql.clearNames.run();
    sql.sortTags.run();
    sql.sortNames.run();
    return to;
  }
}

/** The entries of the present run, sorted. They are derived from the log, and go with the connection. */
const temporaryTables = `
  PRAGMA temp_store = MEMORY;
  CREATE TEMP TABLE waiting_tags (tag TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (tag, id)) STRICT, WITHOUT ROWID;
  CREATE TEMP TABLE waiting_names (key TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (key, id)) STRICT, WITHOUT ROWID;
`;

function prepare(db: DatabaseSync) {
  return {
    insertTag: db.prepare('INSERT INTO plant_tags (tag, id) VALUES (?, ?)'),
    insertName: db.prepare('INSERT INTO plant_names (key, id) VALUES (?, ?)'),
    deleteTag: db.prepare('DELETE FROM plant_tags WHERE tag = ? AND id = ?'),
    deleteName: db.prepare('DELETE FROM plant_names WHERE key = ? AND id = ?'),
    log: db.prepare('INSERT INTO index_log (change, id, tag, key) VALUES (?, ?, ?, ?)'),
    countLog: db.prepare('SELECT count(*) AS rows FROM index_log'),
    findLast: db.prepare('SELECT max(n) AS n FROM index_log'),
    trimLog: db.prepare('DELETE FROM index_log WHERE n <= ?'),
    clearTags: db.prepare('DELETE FROM waiting_tags'),
    clearNames: db.prepare('DELETE FROM waiting_names'),
    sortTags: db.prepare(`INSERT INTO waiting_tags ${waitingEntries('tag')}`),
    sortNames: db.prepare(`INSERT INTO waiting_names ${waitingEntries('key')}`),
    // Some may be there: a run that a crash cut short is made anew from the log.
    mergeTags: db.prepare('INSERT OR IGNORE INTO plant_tags SELECT tag, id FROM waiting_tags ORDER BY tag, id LIMIT ?'),
    mergeNames: db.prepare(
      'INSERT OR IGNORE INTO plant_names SELECT key, id FROM waiting_names ORDER BY key, id LIMIT ?',
    ),
    dropMergedTags: db.prepare(
      'DELETE FROM waiting_tags WHERE (tag, id) IN (SELECT tag, id FROM waiting_tags ORDER BY tag, id LIMIT ?)',
    ),
    dropMergedNames: db.prepare(
      'DELETE FROM waiting_names WHERE (key, id) IN (SELECT key, id FROM waiting_names ORDER BY key, id LIMIT ?)',
    ),
    deleteWaitingTag: db.prepare('DELETE FROM waiting_tags WHERE tag = ? AND id = ?'),
    deleteWaitingName: db.prepare('DELETE FROM waiting_names WHERE key = ? AND id = ?'),
    findUnmerged: db.prepare('SELECT 1 FROM waiting_tags UNION ALL SELECT 1 FROM waiting_names LIMIT 1'),
  };
}
