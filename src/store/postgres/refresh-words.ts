/**
 * Makes the words of plants again that other rules have made: those of a version before, and of
 * an instance of it that still writes. Each call is one transaction, and the next one finds what
 * is left: nothing is lost when an instance ends.
 */
import type { StoredPlant } from '../../domain/schemas.ts';
import { type Buckets, bucketsOf } from './buckets.ts';
import type { Connection, Statement } from './connection.ts';
import { readSchema } from './migrations.ts';
import { plantColumns, toPlant } from './tables/plant-reads.ts';
import { rewriteWords, rulesWord, writeWithinMs } from './tables/plant-writes.ts';
import { runTransaction, type Transactions } from './transactions.ts';

/** Plants of one transaction: their writers wait for it, some milliseconds. */
const plantsMax = 500;

/** Ordered as the index of these plants alone, which the server must not sort or scan around. */
const lockOutdated: Statement = {
  name: 'lock-outdated-plants',
  text: `SELECT ${plantColumns} FROM plants WHERE NOT words @@ '''${rulesWord}'''::tsquery AND bucket = $1
    ORDER BY id + 0 LIMIT ${plantsMax} FOR UPDATE`,
};
const useIndex = `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true)`;

/** Resolves to whether the bucket may have more of them. */
export function refreshWords(connection: Connection, bucket: number): Promise<boolean> {
  return runTransaction(connection, async (begun) => {
    const [, , { rows }] = await Promise.all([
      begun,
      connection.run(useIndex, [], writeWithinMs),
      connection.run(lockOutdated, [bucket], writeWithinMs),
    ]);
    const plants: readonly StoredPlant[] = rows.map(toPlant);
    return {
      sent: plants.length === 0 ? [] : rewriteWords(connection, bucket, plants),
      toResult: () => plants.length === plantsMax,
    };
  });
}

/** The same for all of them, beside instances that serve. */
export async function refreshAllWords(connection: Connection): Promise<void> {
  const { engine } = (await readSchema(connection)) ?? { engine: 'postgres' };
  for (let bucket = 0; bucket < bucketsOf[engine]; bucket += 1) while (await refreshWords(connection, bucket));
}

/** Looks for them while the store serves, at one bucket in each call. */
export class WordRefresher {
  readonly #transactions: Transactions;
  readonly #buckets: Buckets;
  #bucket = 0;

  constructor(transactions: Transactions, buckets: Buckets) {
    this.#transactions = transactions;
    this.#buckets = buckets;
  }

  /** Resolves to whether there may be more. */
  async refresh(): Promise<boolean> {
    const bucket = this.#bucket;
    this.#bucket = (bucket + 1) % this.#buckets.count;
    return this.#transactions.run((connection) => refreshWords(connection, bucket));
  }
}
