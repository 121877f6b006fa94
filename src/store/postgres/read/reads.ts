/** Reads on the primary, so that they see every acknowledged write. Statements are beside it. */
import { ServiceError } from '../../../domain/errors.ts';
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { PlantFilter } from '../../../domain/store.ts';
import type { Cluster } from '../connect/cluster.ts';
import type { ConnectionPool } from '../connect/connection-pool.ts';
import type { Connection, Rows } from '../connect/connection.ts';
import { sqlStateOf, toFailure } from '../connect/error-code.ts';
import type { Division } from '../division.ts';
import { readWithinMs } from '../connect/query.ts';
import { toPlant } from './values.ts';
import { scanQuery } from './plant-search.ts';

/** Longest time to begin a snapshot, in milliseconds: a divided one waits for transactions. */
const beginWithinMs = 5_000;
/** Rows of one chunk of a snapshot. */
const chunkRows = 1_000;
/** A snapshot keeps old versions of rows: it is ended after this time, in milliseconds. */
const snapshotMsMax = 600_000;
const invalidParameterValue = '22023';

/**
 * Runs reads on a connection that others share. A connection that breaks is replaced once.
 * @throws ServiceError `store_unavailable` when the database cannot be reached or does not
 * answer in time.
 */
export async function read<Result>(
  cluster: Cluster,
  pool: ConnectionPool,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  for (let isLast = false; ; isLast = true) {
    const connection = await pool.share();
    try {
      return await work(connection);
    } catch (error) {
      const isRolledBack = connection.isUsable;
      const failure = toFailure(error, { isCommitSent: false, isRolledBack });
      if (failure === 'bug' || !(error instanceof Error)) throw error;
      if (failure === 'denied') cluster.noteRefusal('statement', error);
      cluster.suspect();
      if (isLast || isRolledBack)
        throw new ServiceError('store_unavailable', { cause: error, detail: cluster.waitsFor });
    }
  }
}

/**
 * For a new connection that reads, or writes what may be lost: a statement that nobody waits
 * for any more ends within a second, whatever it waits for itself. A server that cannot notice
 * the end of a client, such as one on Windows, refuses the setting and is used without it.
 */
export async function stopWithClient(connection: Connection): Promise<void> {
  try {
    await connection.run(`SET client_connection_check_interval = '1s'`, [], readWithinMs);
  } catch (error) {
    if (sqlStateOf(error) !== invalidParameterValue) throw error;
  }
}

/** Reads a snapshot (see the port). Reads the next chunk while the caller works on the last. */
export async function* readSnapshot(
  pool: ConnectionPool,
  { servers }: Division,
  filter: PlantFilter,
): AsyncGenerator<readonly StoredPlant[]> {
  const query = scanQuery(filter);
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
    const declare = `DECLARE snapshot NO SCROLL CURSOR FOR ${query.statement.text}`;
    const declared = connection.run(declare, query.values, snapshotMsMax);
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
    if (toFailure(error, { isCommitSent: false, isRolledBack: connection.isUsable }) === 'bug') throw error;
    throw new ServiceError('store_unavailable', { cause: error });
  } finally {
    clearTimeout(timer);
    // With the session ends its lock, if it failed before it had left it.
    if (servers !== undefined) connection.destroy(new Error('the snapshot has ended'));
    else if (connection.isUsable) await connection.run('ROLLBACK', [], readWithinMs).catch(() => undefined);
    pool.giveBack(connection);
  }
}
