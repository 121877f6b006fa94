/** Runs reads on the primary, so that they see every acknowledged write. */
import { ServiceError } from '../../../domain/errors.ts';
import type { Cluster } from './cluster.ts';
import type { ConnectionPool } from './connection-pool.ts';
import type { Connection } from './connection.ts';
import { failureOf, sqlStateOf } from './error-code.ts';
import { readWithinMs } from './statement.ts';

const invalidParameterValue = '22023';

/**
 * Runs reads on a connection that others share. A connection that breaks is replaced once.
 * @throws ServiceError `store_unavailable` when the database cannot be reached or does not
 * answer in time.
 */
export async function runRead<Result>(
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
      const failure = failureOf(error, { isCommitSent: false, isRolledBack });
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
export async function detectLostClient(connection: Connection): Promise<void> {
  try {
    await connection.run(`SET client_connection_check_interval = '1s'`, [], readWithinMs);
  } catch (error) {
    if (sqlStateOf(error) !== invalidParameterValue) throw error;
  }
}
