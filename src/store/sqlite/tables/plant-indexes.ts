/**
 * The indexes of the plants, by tag and by name. While the store is small each write changes them. In a large one the entries of a new plant
 * would fall on two pages of their own, so they wait in a log and are merged many at a time, in the order of each index.
 *
 * No index ever has a wrong entry; it only lacks those that wait, so whoever reads by an index merges first. Transactions are not begun here.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { StoredPlant } from '../../../domain/schemas.ts';
import { toNameKey } from '../../name-key.ts';
import { nameIndex, tagIndex, WaitingEntries } from './waiting-entries.ts';

export interface IndexTuning {
  /** Number of plants from which on new entries wait. */
  readonly waitFrom: number;
  /** Entries of one index that wait before batches begin to merge them. */
  readonly waitingMax: number;
}

/**
 * Below a quarter of a million plants the indexes are small, and waiting would only cost. Of 32,768 that wait several fall on each page that is
 * touched in an index of a million (measured there: 30 us a create, not 50).
 */
export const indexTuning: IndexTuning = { waitFrom: 262_144, waitingMax: 32_768 };

/** Most UTF-16 units of tag and key together with which entries wait: longer ones fill pages of their own anyway, and would fill the memory. */
const shortUnitsMax = 100;
/** Most entries of each index that are merged, and rows of the log that are removed, with each change of a batch, and with a whole batch. */
const sharePerChange = 2;
const shareMax = 1_000;
/** Times the entries that should wait at which new ones do not any more: large batches bring more than is merged with them. */
const excessMax = 2;
/** Rows that the log may have for each entry that may wait: two sweeps through twice as many entries. */
const logRowsPerWaiting = 4;

export class PlantIndexes {
  readonly #tuning: IndexTuning;
  readonly #sql: ReturnType<typeof prepare>;
  readonly #tags: WaitingEntries;
  readonly #names: WaitingEntries;
  #mustWait = false;
  #areBehind = false;
  /** False until the log of an earlier connection, or transaction, is taken up. */
  #isLoaded = false;
  #lastRow = 0n;
  #trimmedTo = 0n;
  #changes = 0;

  /** @throws Error when the tables are missing. */
  constructor(db: DatabaseSync, tuning: IndexTuning) {
    this.#tuning = tuning;
    this.#tags = new WaitingEntries(db, tagIndex);
    this.#names = new WaitingEntries(db, nameIndex);
    this.#sql = prepare(db);
    this.forget();
  }

  /** Whether entries wait. */
  get areBehind(): boolean {
    return this.#areBehind;
  }

  /** Whether a new plant would wait, in a store of so many. */
  mustWait(plants: number): boolean {
    return this.#areBehind || plants >= this.#tuning.waitFrom;
  }

  /** Belongs at the start of each transaction that changes plants. */
  begin(plants: number): void {
    this.#mustWait = this.mustWait(plants);
    this.#changes = 0;
  }

  /** Notes a plant that is new. */
  add({ id, name, tag }: StoredPlant): void {
    const key = toNameKey(name);
    if (
      this.#mustWait &&
      isShort(tag, key) &&
      this.#names.count + this.#changes < excessMax * this.#tuning.waitingMax
    ) {
      this.#log(1, id, tag, key);
      return;
    }
    this.#sql.insertName.run(key, id);
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

  /** Takes up what the transaction has logged, and merges about as much when too much waits; belongs before each commit. */
  finish(): void {
    if (this.#changes === 0) return;
    this.#takeUp();
    const share = Math.min(sharePerChange * this.#changes, shareMax);
    const { waitingMax } = this.#tuning;
    // Of plants that seldom have a tag few entries wait, but they too keep the log.
    const isLong = this.#lastRow - this.#trimmedTo > BigInt(logRowsPerWaiting * waitingMax);
    for (const waiting of [this.#tags, this.#names]) {
      const rows = isLong ? share : Math.min(share, waiting.count - waitingMax);
      if (rows > 0) waiting.merge(rows);
    }
    this.#trim(share);
  }

  /** Merges up to so many entries of each index. */
  merge(rows: number): void {
    this.#takeUp();
    this.#tags.merge(rows);
    this.#names.merge(rows);
    this.#trim(rows);
  }

  /** Forgets what is not in the file, when a transaction was rolled back. */
  forget(): void {
    this.#isLoaded = false;
    this.#areBehind = this.#sql.findFirst.get()?.['n'] !== null;
  }

  #remove(id: bigint, tag: string | undefined, key: string | undefined): void {
    if (tag !== undefined) this.#sql.deleteTag.run(tag, id);
    if (key !== undefined) this.#sql.deleteName.run(key, id);
    if (!this.#mustWait || !isShort(tag, key)) return;
    // Entries that wait must not come back: neither those that are taken up, nor those that are only in the log.
    this.#log(-1, id, tag, key);
    if (tag !== undefined) this.#tags.drop(tag, id);
    if (key !== undefined) this.#names.drop(key, id);
  }

  #log(change: 1 | -1, id: bigint, tag: string | undefined, key: string | undefined): void {
    this.#lastRow = this.#sql.log.run(change, id, tag ?? null, key ?? null).lastInsertRowid as bigint;
    this.#changes += 1;
    this.#areBehind = true;
  }

  #takeUp(): void {
    if (!this.#isLoaded) this.#load();
    this.#tags.take(this.#lastRow);
    this.#names.take(this.#lastRow);
  }

  #load(): void {
    const [first, last] = [this.#sql.findFirst.get()?.['n'], this.#sql.findLast.get()?.['n']];
    this.#lastRow = (last ?? 0n) as bigint;
    this.#trimmedTo = first === null ? 0n : (first as bigint) - 1n;
    this.#tags.load(this.#lastRow);
    this.#names.load(this.#lastRow);
    this.#isLoaded = true;
  }

  /** Removes rows of the log that both indexes have merged, the oldest first. */
  #trim(rows: number): void {
    if (this.#tags.count === 0 && this.#names.count === 0) {
      this.#sql.clearLog.run();
      this.#areBehind = false;
      this.#isLoaded = false;
      return;
    }
    const merged = this.#tags.mergedTo < this.#names.mergedTo ? this.#tags.mergedTo : this.#names.mergedTo;
    const share = this.#trimmedTo + BigInt(rows);
    const to = merged < share ? merged : share;
    if (to <= this.#trimmedTo) return;
    this.#sql.trimLog.run(to);
    this.#trimmedTo = to;
  }
}

function isShort(tag = '', key = ''): boolean {
  return tag.length + key.length <= shortUnitsMax;
}

function prepare(db: DatabaseSync) {
  return {
    insertTag: db.prepare('INSERT INTO plant_tags (tag, id) VALUES (?, ?)'),
    insertName: db.prepare('INSERT INTO plant_names (key, id) VALUES (?, ?)'),
    deleteTag: db.prepare('DELETE FROM plant_tags WHERE tag = ? AND id = ?'),
    deleteName: db.prepare('DELETE FROM plant_names WHERE key = ? AND id = ?'),
    log: db.prepare('INSERT INTO index_log (change, id, tag, key) VALUES (?, ?, ?, ?)'),
    findFirst: db.prepare('SELECT min(n) AS n FROM index_log'),
    findLast: db.prepare('SELECT max(n) AS n FROM index_log'),
    trimLog: db.prepare('DELETE FROM index_log WHERE n <= ?'),
    clearLog: db.prepare('DELETE FROM index_log'),
  };
}
