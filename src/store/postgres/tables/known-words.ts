/**
 * The words that a connection has listed, so that it sends only new ones: each that is listed
 * already costs the server 3 us. The server compares a mark, which changes with each removal:
 * after one, all words of the statement are listed again. What a server forgets in a crash or a
 * failover, it forgets with its connections.
 */
import type { Connection } from '../connection.ts';

/** Words to remember, some megabytes; with more, all are forgotten. */
const wordsMax = 20_000;

export class KnownWords {
  static readonly #all = new WeakMap<Connection, KnownWords>();
  readonly #words = new Set<string>();
  #mark: bigint | null = null;

  static of(connection: Connection): KnownWords {
    const known = KnownWords.#all.get(connection) ?? new KnownWords();
    KnownWords.#all.set(connection, known);
    return known;
  }

  /** The mark, the words that are new if the server has the same one, and all words. */
  toParameters(words: readonly string[]): readonly [bigint | null, readonly string[], readonly string[]] {
    return [this.#mark, words.filter((word) => !this.#words.has(word)), words];
  }

  /** Call once they are committed. @param mark of the server, after it had locked the list. */
  note(mark: bigint, words: readonly string[]): void {
    if (mark !== this.#mark || this.#words.size > wordsMax) this.#words.clear();
    this.#mark = mark;
    for (const word of words) this.#words.add(word);
  }
}
