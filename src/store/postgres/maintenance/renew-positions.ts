/** What is left to do after a restore of the database: the positions of its change log become new. */
import { randomBytes } from 'node:crypto';
import type { Connection } from '../connect/connection.ts';

/** There are few webhooks; only somebody who locks a table makes it take longer. */
const statementWithinMs = 60_000;

/** In the documents, a quote within a text is escaped: only a member matches. */
const renewDocuments = (table: string): string =>
  `UPDATE ${table} SET document = replace(document, format('"position":"%s-', identity), format('"position":"%s-', $1::text))
   FROM change_log`;

/**
 * Gives the change log a new identity, so that a reader of changes newer than the backup does not take
 * the next ones for their successors. Webhooks continue where they were: what they had not delivered
 * is in this log, with the same numbers. Resolves to the number of webhooks. All or nothing is changed.
 * @throws Error while an instance runs: it would write the old positions of webhooks again.
 */
export async function renewPositions(connection: Connection): Promise<number> {
  const run = (sql: string, values: readonly unknown[] = []): ReturnType<Connection['run']> =>
    connection.run(sql, values, statementWithinMs);
  await run('BEGIN');
  try {
    // Each instance takes this lease, also without webhooks. One that starts now waits for the lock.
    const { rows } = await run('SELECT until > clock_timestamp() FROM delivery_lease FOR UPDATE');
    if (rows[0]?.[0] === true)
      throw new Error('a service runs on it; stop that first (if it was killed, wait for 20 seconds)');
    await run('SELECT FROM change_log FOR UPDATE');
    const identity = [randomBytes(4).toString('hex')];
    const webhooks = await run(renewDocuments('webhooks'), identity);
    await run(renewDocuments('webhook_progress'), identity);
    await run(renewDocuments('webhook_deliveries'), identity);
    await run('UPDATE change_log SET identity = $1', identity);
    await run('COMMIT');
    return webhooks.rowCount;
  } catch (error) {
    if (connection.isUsable) await run('ROLLBACK');
    throw error;
  }
}
