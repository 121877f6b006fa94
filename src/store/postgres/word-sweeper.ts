/**
 * Removes the listed words which no plant has any more, as the count-sweeper.ts removes counts.
 * Without it, the list would grow with every word that was ever written.
 */
import type { Buckets } from './buckets.ts';
import type { Connection } from './connection.ts';
import { lookAtWords, removeWords } from './tables/word-rows.ts';
import { runAlone, runTransaction, type Transactions } from './transactions.ts';

export class WordSweeper {
  readonly #transactions: Transactions;
  readonly #buckets: Buckets;
  #bucket = 0;
  #after = '';

  constructor(transactions: Transactions, buckets: Buckets) {
    this.#transactions = transactions;
    this.#buckets = buckets;
  }

  /** Looks at the next words. Resolves to whether there were such words: there may be more. */
  async sweep(): Promise<boolean> {
    const bucket = this.#bucket;
    const { unused, last } = await this.#transactions.run((connection) =>
      runAlone(connection, false, () => lookAtWords(connection, bucket, this.#after)),
    );
    // Once: writers wait while it waits for its lock.
    if (unused.length > 0) await this.#transactions.run((connection) => remove(connection, bucket, unused), 0);
    this.#after = last ?? '';
    if (last === undefined) this.#bucket = (bucket + 1) % this.#buckets.count;
    return unused.length > 0;
  }
}

function remove(connection: Connection, bucket: number, words: readonly string[]): Promise<void> {
  return runTransaction(connection, async (begun) => {
    await Promise.all([begun, removeWords(connection, bucket, words)]);
    return { sent: [], toResult: () => undefined };
  });
}
