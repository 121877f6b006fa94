/**
 * The search index: one full-text table of SQLite (FTS5) over the tokens of every plant, changed in the transaction of the plants. How a
 * search is put is in plant-search.ts.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Plant } from '../../../domain/schemas.ts';
import { searchTokensVersion, toSearchTokens } from '../../search-tokens.ts';
import { type Row, toInteger, toText } from './values.ts';

interface Change {
  readonly before: Plant | undefined;
  after: Plant | undefined;
}

export class SearchIndex {
  readonly #insert: (id: bigint, tokens: string) => void;
  readonly #remove: (id: bigint, tokens: string) => void;
  readonly #changes = new Map<bigint, Change>();

  /** @throws Error when the table is missing. */
  constructor(db: DatabaseSync) {
    const insert = db.prepare('INSERT INTO plant_words (rowid, tokens) VALUES (?, ?)');
    const remove = db.prepare("INSERT INTO plant_words (plant_words, rowid, tokens) VALUES ('delete', ?, ?)");
    this.#insert = (id, tokens) => void insert.run(id, tokens);
    this.#remove = (id, tokens) => void remove.run(id, tokens);
  }

  /** Notes what a plant was and is; undefined where it is not stored. */
  note(id: bigint, before: Plant | undefined, after: Plant | undefined): void {
    const change = this.#changes.get(id);
    if (change === undefined) this.#changes.set(id, { before, after });
    else change.after = after;
  }

  /**
   * Writes what was noted. Call before the commit. In ascending order of ids: FTS5 writes its buffer to disk whenever an id is smaller than
   * the one before it.
   */
  flush(): void {
    const changes = [...this.#changes].sort(([one], [other]) => (one < other ? -1 : 1));
    this.#changes.clear();
    for (const [id, { before, after }] of changes) {
      const [old, tokens] = [toTokenText(before), toTokenText(after)];
      if (old === tokens) continue;
      // FTS5 finds the entries to remove by the tokens that were inserted.
      if (old !== undefined) this.#remove(id, old);
      if (tokens !== undefined) this.#insert(id, tokens);
    }
  }

  /** Drops what was noted. Call after a rollback. */
  reset(): void {
    this.#changes.clear();
  }
}

function toTokenText(plant: Plant | undefined): string | undefined {
  return plant === undefined ? undefined : toSearchTokens(plant).join(' ');
}

/** Plants that are indexed in one transaction of a rebuild: some megabytes of log. */
const rebuildRows = 5_000;

/**
 * Rebuilds the index when it was made by other rules than today's. A rebuild that is interrupted starts again at the next call.
 * @param afterBatch called between two transactions with the number of plants indexed so far, and by the last one.
 */
export function refreshSearchIndex(db: DatabaseSync, afterBatch: (indexed: number, rows: number) => void): void {
  if (isSearchIndexCurrent(db)) return;
  db.exec("BEGIN IMMEDIATE; UPDATE search_index SET version = ''; COMMIT");
  db.exec("INSERT INTO plant_words (plant_words) VALUES ('delete-all')");
  const select = db.prepare('SELECT id, name, tag FROM plants WHERE id >= ? ORDER BY id LIMIT ?');
  const index = new SearchIndex(db);
  let from: bigint | undefined = -(2n ** 63n);
  for (let indexed = 0; from !== undefined;) {
    const rows: readonly Row[] = select.all(from, rebuildRows);
    db.exec('BEGIN IMMEDIATE');
    for (const { id, name, tag } of rows) {
      index.note(toInteger(id), undefined, { name: toText(name), ...(tag === null ? {} : { tag: toText(tag) }) });
    }
    index.flush();
    db.exec('COMMIT');
    indexed += rows.length;
    const last = rows.at(-1)?.['id'];
    from = rows.length < rebuildRows || last === undefined ? undefined : toInteger(last) + 1n;
    if (from === 2n ** 63n) from = undefined;
    afterBatch(indexed, rows.length);
  }
  db.prepare('UPDATE search_index SET version = ?').run(searchTokensVersion);
}

/** Whether the index is complete and was made by today's rules. */
export function isSearchIndexCurrent(db: DatabaseSync): boolean {
  return db.prepare('SELECT version FROM search_index').get()?.['version'] === searchTokensVersion;
}
