/**
 * The words in use, as the search index lists them. fts5vocab reads them from the index itself,
 * with all entries of each: 0.2 s for 300,000 words. So what it has found is kept until a plant changes.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { toPrefixRange } from '../../prefix-range.ts';
import { prepareRows, type SqlRow, toText } from './values.ts';

/**
 * Maximum number of words that a part is looked up in. If a part is in more words, a page is full
 * after a look at some plants.
 */
const listedWordsMax = 500;
/**
 * Maximum number of indexed words that a prefix is expanded to; each is read from the start of the
 * page. Beyond, FTS5 collects all matches of the prefix in memory (measured: 0.8 us per match),
 * unless the prefix is short enough to be indexed itself.
 */
const termsMax = 32;
/** Texts whose words are kept, each up to `listedWordsMax`. */
const keptMax = 50;

/** Call it in the transaction that reads the index. */
export class Words {
  readonly #selectBeginning: StatementSync;
  readonly #selectContaining: StatementSync;
  readonly #selectLast: StatementSync;
  readonly #found = new Map<string, readonly string[] | undefined>();
  #last: unknown;

  constructor(db: DatabaseSync) {
    this.#selectBeginning = prepareRows(db, 'SELECT term FROM search_words WHERE term >= ? AND term < ? LIMIT ? + 0');
    // Tags begin with two marks; they are no words.
    this.#selectContaining = prepareRows(
      db,
      "SELECT term FROM search_words WHERE instr(term, ?) > 0 AND substr(term, 1, 2) <> '__' LIMIT ? + 0",
    );
    this.#selectLast = prepareRows(db, 'SELECT last FROM change_log');
  }

  /** Returns undefined if there are too many. */
  beginningWith(beginning: string): readonly string[] | undefined {
    const { from, to } = toPrefixRange(beginning);
    if (to === undefined) return undefined;
    return this.#find(` ${beginning}`, termsMax, (limit) => this.#selectBeginning.all(from, to, limit));
  }

  /** Returns undefined if there are too many. */
  containing(part: string): readonly string[] | undefined {
    return this.#find(part, listedWordsMax, (limit) => this.#selectContaining.all(part, limit));
  }

  #find(key: string, most: number, read: (limit: number) => readonly SqlRow[]): readonly string[] | undefined {
    const last = this.#selectLast.get()?.[0];
    if (last !== this.#last || this.#found.size >= keptMax) this.#found.clear();
    this.#last = last;
    if (!this.#found.has(key)) {
      const rows = read(most + 1);
      this.#found.set(key, rows.length > most ? undefined : rows.map((row) => toText(row[0])));
    }
    return this.#found.get(key);
  }
}
