/**
 * Entries of one index that wait to be merged, sorted in a temporary table, and the sweep that merges them: it goes through the index from end to
 * end, a few entries at a time, and starts again. What is in the log that they come from is not decided here.
 */
import type { DatabaseSync } from 'node:sqlite';

export interface IndexTable {
  readonly name: 'plant_tags' | 'plant_names';
  /** The text by which it is sorted, before the id. */
  readonly column: 'tag' | 'key';
}

export const tagIndex: IndexTable = { name: 'plant_tags', column: 'tag' };
export const nameIndex: IndexTable = { name: 'plant_names', column: 'key' };

/**
 * SQL for the entries that the log, or its rows behind one, leaves to be merged: the last row on each counts. SQLite takes bare columns from the
 * row of the maximum (sqlite.org/lang_select.html#bareagg).
 */
export function entriesOfLog({ column }: IndexTable, condition = 'true'): string {
  return `SELECT ${column}, id
    FROM (SELECT ${column}, id, change, max(n) FROM index_log
      WHERE ${column} IS NOT NULL AND ${condition} GROUP BY ${column}, id)
    WHERE change = 1`;
}

export class WaitingEntries {
  readonly #sql: ReturnType<typeof prepare>;
  #count = 0;
  /** Last row of the log that was taken up. */
  #takenTo = 0n;
  #mergedTo = 0n;
  #sweep: Sweep | undefined;

  /** @throws Error when the tables are missing. */
  constructor(db: DatabaseSync, index: IndexTable) {
    this.#sql = prepare(db, index);
  }

  get count(): number {
    return this.#count;
  }

  /** All that rows of the log up to this one have brought is merged. */
  get mergedTo(): bigint {
    return this.#mergedTo;
  }

  /** Begins anew with all of the log. */
  load(lastRow: bigint): void {
    this.#sql.clear.run();
    this.#count = 0;
    [this.#takenTo, this.#mergedTo, this.#sweep] = [0n, 0n, undefined];
    this.take(lastRow);
  }

  /** Takes up what has been logged since. */
  take(lastRow: bigint): void {
    this.#count += Number(this.#sql.take.run(this.#takenTo).changes);
    this.#takenTo = lastRow;
  }

  /** Forgets an entry that is not to be merged any more. */
  drop(text: string, id: bigint): void {
    this.#count -= Number(this.#sql.drop.run(text, id).changes);
  }

  /** Merges up to so many. */
  merge(rows: number): void {
    const sweep = (this.#sweep ??= { place: start, end: this.#findLast(), takenTo: this.#takenTo });
    const found = this.#sql.findBehind.get(...sweep.place, rows);
    const to = found === undefined ? beyond : toPlace(found);
    this.#sql.merge.run(...sweep.place, ...to);
    this.#count -= Number(this.#sql.dropMerged.run(...sweep.place, ...to).changes);
    sweep.place = to;
    // What comes in behind the end would keep the sweep from ever beginning again.
    if (this.#sql.findUpTo.get(...to, ...sweep.end) !== undefined) return;
    this.#mergedTo = sweep.takenTo;
    this.#sweep = undefined;
  }

  #findLast(): Place {
    const last = this.#sql.findLast.get();
    return last === undefined ? start : toPlace(last);
  }
}

/** One way through the entries. */
interface Sweep {
  /** All before it is merged. */
  place: Place;
  /** The last entry that waited when the sweep began. */
  readonly end: Place;
  /** Last row of the log that had been taken up then. */
  readonly takenTo: bigint;
}

type Place = readonly [text: string | Uint8Array, id: bigint];

const start: Place = ['', -(2n ** 63n)];
/** A blob sorts behind every text. */
const beyond: Place = [new Uint8Array(), 0n];

function toPlace(row: Record<string, unknown>): Place {
  return [row['text'] as string, row['id'] as bigint];
}

function prepare(db: DatabaseSync, index: IndexTable) {
  const { name, column } = index;
  const waiting = `temp.waiting_${name}`;
  const behind = `(${column}, id) >= (?, ?)`;
  const between = `${behind} AND (${column}, id) < (?, ?)`;
  // Derived from the log, and gone with the connection.
  db.exec(`PRAGMA temp_store = MEMORY;
    CREATE TABLE ${waiting} (
      ${column} TEXT NOT NULL,
      id INTEGER NOT NULL,
      PRIMARY KEY (${column}, id)
    ) STRICT, WITHOUT ROWID`);
  return {
    clear: db.prepare(`DELETE FROM ${waiting}`),
    take: db.prepare(`INSERT OR IGNORE INTO ${waiting} ${entriesOfLog(index, 'n > ?')}`),
    drop: db.prepare(`DELETE FROM ${waiting} WHERE ${column} = ? AND id = ?`),
    findBehind: db.prepare(
      `SELECT ${column} AS text, id FROM ${waiting} WHERE ${behind} ORDER BY ${column}, id LIMIT 1 OFFSET ?`,
    ),
    findLast: db.prepare(`SELECT ${column} AS text, id FROM ${waiting} ORDER BY ${column} DESC, id DESC LIMIT 1`),
    findUpTo: db.prepare(`SELECT 1 FROM ${waiting} WHERE ${behind} AND (${column}, id) <= (?, ?) LIMIT 1`),
    // Some may be there already: the log outlives a crash, and what was merged of it is not known then.
    merge: db.prepare(
      `INSERT OR IGNORE INTO ${name} SELECT ${column}, id FROM ${waiting} WHERE ${between} ORDER BY ${column}, id`,
    ),
    dropMerged: db.prepare(`DELETE FROM ${waiting} WHERE ${between}`),
  };
}
