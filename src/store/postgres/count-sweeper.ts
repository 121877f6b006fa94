/**
 * Removes the counts of tags which no plant has any more. A writer cannot: it sees only its own row of a tag. So each call looks at the
 * next rows, and begins again after the last: nothing is lost when an instance ends, and no row is written that stays.
 */
import type { Buckets } from './buckets.ts';
import type { Connection } from './connection.ts';
import { writeWithinMs } from './tables/plant-writes.ts';
import { deleteEmptyQuery, findEmpty, selectCountsQuery } from './tables/tag-count-rows.ts';
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

/** Resolves to where the next rows begin; undefined after the last ones. */
async function sweepRows(connection: Connection, bucket: number, after: Buffer): Promise<Buffer | undefined> {
  const found = selectCountsQuery(bucket, after);
  const { rows } = await connection.run(found.statement, found.values, writeWithinMs);
  const { empty, last } = findEmpty(rows);
  if (empty.length > 0) {
    const { statement, values } = deleteEmptyQuery(bucket, empty);
    await connection.run(statement, values, writeWithinMs);
  }
  return last;
}
