/**
 * Removes the counts of tags which no plant has any more. A writer cannot: it sees only its own
 * row of a tag. So each call looks at the next rows, and begins again after the last: nothing
 * is lost when an instance ends, and no row is written that stays.
 */
import type { Buckets } from './buckets.ts';
import { sweepRows } from './tables/tag-count-rows.ts';
import { runAlone, type Transactions } from './transactions.ts';

const first = Buffer.alloc(0);

export class CountSweeper {
  readonly #transactions: Transactions;
  readonly #buckets: Buckets;
  #bucket = 0;
  #after: Buffer = first;

  constructor(transactions: Transactions, buckets: Buckets) {
    this.#transactions = transactions;
    this.#buckets = buckets;
  }

  /** Resolves to whether the next call begins again with the first rows. */
  async sweep(): Promise<boolean> {
    const bucket = this.#bucket;
    const last = await this.#transactions.run((connection) =>
      runAlone(connection, false, () => sweepRows(connection, bucket, this.#after)),
    );
    this.#after = last ?? first;
    if (last === undefined) this.#bucket = (bucket + 1) % this.#buckets.count;
    return last === undefined && this.#bucket === 0;
  }
}
