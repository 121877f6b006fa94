/**
 * Removes the counts of tags which no plant has any more. A writer cannot: it sees only its own
 * row of a tag. So each call looks at the next rows, and begins again after the last: nothing
 * is lost when an instance ends, and no row is written that stays.
 */
import type { Connection, Rows, Statement } from '../connect/connection.ts';
import { writeWithinMs } from '../connect/statement.ts';
import type { Transactions } from '../connect/transactions.ts';
import type { Division } from '../division.ts';

/** Rows that one look reads, in the order of the key. More than there can be of one tag. */
const countRowsMax = 1_000;

const selectRows: Statement = {
  name: 'list-tag-counts',
  text: `SELECT tag_hash, plants FROM tag_counts WHERE bucket = $1 AND tag_hash > $2 ORDER BY tag_hash, slot
    LIMIT ${countRowsMax}`,
};

/**
 * The rows of a tag may be removed if they add up to 0 while they are locked: a writer that
 * waits for one of them inserts its own anew. They are locked in the order in which writers do.
 */
const deleteEmpty: Statement = {
  name: 'delete-tag-counts',
  text: `WITH locked AS MATERIALIZED (
      SELECT tag_hash, slot, plants FROM tag_counts WHERE bucket = $1 AND tag_hash = ANY($2::bytea[])
      ORDER BY tag_hash, slot FOR UPDATE
    )
    DELETE FROM tag_counts AS c USING locked
    WHERE c.bucket = $1 AND c.tag_hash = locked.tag_hash AND c.slot = locked.slot
      AND c.tag_hash IN (SELECT tag_hash FROM locked GROUP BY tag_hash HAVING sum(plants) = 0)`,
};

const first = Buffer.alloc(0);

export class CountSweeper {
  readonly #transactions: Transactions;
  readonly #division: () => Division;
  #bucket = 0;
  #after: Buffer = first;

  constructor(transactions: Transactions, division: () => Division) {
    this.#transactions = transactions;
    this.#division = division;
  }

  /** Resolves to whether the next call begins again with the first rows. */
  async sweep(): Promise<boolean> {
    const bucket = this.#bucket;
    const last = await this.#transactions.runAutocommit((connection) => sweepRows(connection, bucket, this.#after), {
      mayBeLost: true,
    });
    this.#after = last ?? first;
    if (last === undefined) this.#bucket = (bucket + 1) % this.#division().buckets;
    return last === undefined && this.#bucket === 0;
  }
}

/**
 * Removes the counts of empty tags among the rows after a key. Resolves to where the next rows
 * begin; undefined after the last ones.
 * @param after the hash of a tag, or nothing for the first rows.
 */
async function sweepRows(connection: Connection, bucket: number, after: Buffer): Promise<Buffer | undefined> {
  const { rows } = await connection.run(selectRows, [bucket, after], writeWithinMs);
  const { empty, last } = findEmpty(rows);
  if (empty.length > 0) await connection.run(deleteEmpty, [bucket, empty], writeWithinMs);
  return last;
}

/**
 * The hashes of those tags whose rows add up to 0. The last tag is left out of a full page: it
 * may have more rows.
 */
function findEmpty(rows: Rows['rows']): { readonly empty: readonly Buffer[]; readonly last: Buffer | undefined } {
  const sums = new Map<string, { readonly hash: Buffer; sum: bigint }>();
  for (const [hash, plants] of rows as readonly (readonly [Buffer, bigint])[]) {
    const key = hash.toString('hex');
    const found = sums.get(key) ?? { hash, sum: 0n };
    sums.set(key, found);
    found.sum += plants;
  }
  const tags = [...sums.values()];
  const isFull = rows.length === countRowsMax;
  if (isFull) tags.pop();
  return {
    empty: tags.filter(({ sum }) => sum === 0n).map(({ hash }) => hash),
    last: isFull ? tags.at(-1)?.hash : undefined,
  };
}
