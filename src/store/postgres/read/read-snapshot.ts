/** A snapshot: all plants that match, in chunks, as they are at one moment. */
import { ServiceError } from '../../../domain/errors.ts';
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { ListFilter } from '../../../domain/store.ts';
import type { ConnectionPool } from '../connect/connection-pool.ts';
import type { Rows } from '../connect/connection.ts';
import { failureOf } from '../connect/error-code.ts';
import { readWithinMs } from '../connect/statement.ts';
import type { Division } from '../division.ts';
import { scanStatement } from './plant-search.ts';
import { toPlant } from './values.ts';

/** Longest time to begin a snapshot, in milliseconds: a divided one waits for transactions. */
const beginWithinMs = 5_000;
/** Rows of one chunk of a snapshot. */
const chunkRows = 1_000;
/** A snapshot keeps old versions of rows: it is ended after this time, in milliseconds. */
const snapshotMsMax = 600_000;

/** Reads a snapshot (see the port). Reads the next chunk while the caller works on the last. */
export async function* readSnapshot(
  pool: ConnectionPool,
  { servers }: Division,
  filter: ListFilter,
): AsyncGenerator<readonly StoredPlant[]> {
  const { statement, values } = scanStatement(filter);
  const connection = await pool.take();
  const timer = setTimeout(() => connection.destroy(new Error('the snapshot was open for too long')), snapshotMsMax);
  try {
    const fetch = async (): Promise<readonly StoredPlant[]> => {
      const { rows } = await connection.run(`FETCH ${chunkRows} FROM snapshot`, [], snapshotMsMax);
      return rows.map(toPlant);
    };
    const send = (sql: string): Promise<Rows> => connection.run(sql, [], beginWithinMs);
    const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
    const begun = Promise.all((servers?.toSnapshot(begin) ?? [begin]).map(send));
    const declare = `DECLARE snapshot NO SCROLL CURSOR FOR ${statement.text}`;
    const declared = connection.run(declare, values, snapshotMsMax);
    let next = fetch();
    await Promise.all([begun, declared, next]);
    for (;;) {
      const chunk = await next;
      if (chunk.length === 0) return;
      next = fetch();
      // The next iteration awaits this promise.
      next.catch(() => undefined);
      yield chunk;
    }
  } catch (error) {
    if (failureOf(error, { isCommitSent: false, isRolledBack: connection.isUsable }) === 'bug') throw error;
    throw new ServiceError('store_unavailable', { cause: error });
  } finally {
    clearTimeout(timer);
    // With the session ends its lock, if it failed before it had left it.
    if (servers !== undefined) connection.destroy(new Error('the snapshot has ended'));
    else if (connection.isUsable) await connection.run('ROLLBACK', [], readWithinMs).catch(() => undefined);
    pool.giveBack(connection);
  }
}
