/**
 * The search index: a full-text table (FTS5) of every plant's terms, updated in the transaction
 * of the plants. plant-search.ts queries it.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Plant } from '../../../domain/schemas.ts';
import { searchTermsVersion, toSearchTerms } from '../../search-terms.ts';
import { int64Max, int64Min } from '../../../json/int64.ts';
import { plantColumns, prepareRows, toInteger, toPlant } from './values.ts';

/**
 * Work of merging per commit and per character of its terms, in changed rows of the index's own
 * tables. Half of it keeps up with writing (measured with 1 to 1,000 plants per commit).
 */
const mergeWork = { perCommit: 4, perCharacter: 0.04 } as const;
/** Pages of one merge, and their work. Each merge begins with a page of every segment. */
const mergeStep = { pages: 32, work: 120 } as const;
/** Maximum work that later commits make up for, so that segments stay few. */
const mergeWorkMax = 1_500;

interface Pending {
  readonly before: Plant | undefined;
  after: Plant | undefined;
}

export class SearchIndex {
  readonly #insert: StatementSync;
  readonly #remove: StatementSync;
  readonly #merge: StatementSync;
  readonly #totalChanges: StatementSync;
  readonly #pending = new Map<bigint, Pending>();
  /** Negative after a merge that did more than its step. */
  #mergeWorkDue = 0;

  /** @throws Error if the table is missing. */
  constructor(db: DatabaseSync) {
    this.#insert = db.prepare('INSERT INTO plant_words (rowid, tokens) VALUES (?, ?)');
    this.#remove = db.prepare("INSERT INTO plant_words (plant_words, rowid, tokens) VALUES ('delete', ?, ?)");
    this.#merge = db.prepare("INSERT INTO plant_words (plant_words, rank) VALUES ('merge', ?)");
    this.#totalChanges = db.prepare('SELECT total_changes() AS total');
  }

  /** Records a plant before and after a write; undefined if it did not or does not exist. */
  record(id: bigint, before: Plant | undefined, after: Plant | undefined): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) this.#pending.set(id, { before, after });
    else pending.after = after;
  }

  /**
   * Writes the recorded plants, ascending by id: FTS5 flushes its buffer whenever an id is smaller
   * than the previous one. Call before the commit.
   */
  flush(): void {
    const all = [...this.#pending].sort(([one], [other]) => (one < other ? -1 : 1));
    this.#pending.clear();
    let characters = 0;
    for (const [id, { before, after }] of all) {
      const [oldText, text] = [toText(before), toText(after)];
      if (oldText === text) continue;
      // FTS5 removes entries by the terms that were inserted.
      if (oldText !== '') this.#remove.run(id, oldText);
      if (text !== '') this.#insert.run(id, text);
      characters += oldText.length + text.length;
    }
    if (characters > 0) this.#mergeSome(mergeWork.perCommit + characters * mergeWork.perCharacter);
  }

  /**
   * Merges some of what earlier commits wrote. FTS5 itself merges seldom and much, up to the whole
   * index in one transaction (measured with 3 million plants: 0.9 s, and 20 MB of WAL).
   */
  #mergeSome(work: number): void {
    this.#mergeWorkDue += work;
    while (this.#mergeWorkDue >= mergeStep.work) {
      const before = this.#countChanges();
      this.#merge.run(mergeStep.pages);
      const done = this.#countChanges() - before;
      // The command itself counts as one change. A frequent word is one step, however large.
      this.#mergeWorkDue = done > 1 ? Math.max(this.#mergeWorkDue - done, -mergeWorkMax) : 0;
    }
  }

  #countChanges(): number {
    return Number(toInteger(this.#totalChanges.get()?.['total']));
  }

  /** Drops the recorded plants. Call after a rollback. */
  reset(): void {
    this.#pending.clear();
  }
}

function toText(plant: Plant | undefined): string {
  return plant === undefined ? '' : toSearchTerms(plant).join(' ');
}

/** Plants per transaction of a rebuild: some megabytes of WAL. */
const rebuildRows = 5_000;

/**
 * Rebuilds the index if its rules are outdated. An interrupted rebuild restarts at the next call.
 * @param afterCommit called between transactions with the plants indexed in total and in this one.
 */
export function refreshSearchIndex(db: DatabaseSync, afterCommit: (indexed: number, rows: number) => void): void {
  if (isSearchIndexCurrent(db)) return;
  db.exec("BEGIN IMMEDIATE; UPDATE search_index SET version = ''; COMMIT");
  db.exec("INSERT INTO plant_words (plant_words) VALUES ('delete-all')");
  const select = prepareRows(db, `SELECT ${plantColumns} FROM plants WHERE id >= ? ORDER BY id LIMIT ? + 0`);
  const index = new SearchIndex(db);
  let from = int64Min;
  for (let indexed = 0; from <= int64Max;) {
    const plants = select.all(from, rebuildRows).map(toPlant);
    const last = plants.at(-1);
    if (last === undefined) break;
    db.exec('BEGIN IMMEDIATE');
    for (const plant of plants) index.record(plant.id, undefined, plant);
    index.flush();
    db.exec('COMMIT');
    indexed += plants.length;
    from = last.id + 1n;
    afterCommit(indexed, plants.length);
  }
  db.prepare('UPDATE search_index SET version = ?').run(searchTermsVersion);
}

/** Returns whether the index is complete and its rules are current. */
export function isSearchIndexCurrent(db: DatabaseSync): boolean {
  return db.prepare('SELECT version FROM search_index').get()?.['version'] === searchTermsVersion;
}
