/** Tries what requests need: a lock on a table soon refuses it. Changes nothing. */
import type { Connection } from '../connect/connection.ts';
import { readWithinMs } from '../connect/query.ts';
import type { Division } from '../division.ts';
import { countQuery } from './plant-reads.ts';

/** Tables that writes need. Plants may be on other servers, where they are only read. */
const written = ['tokens', 'change_log', 'changes', 'webhooks'];
const writtenInBuckets = ['plants', 'change_batches', 'plant_counts', 'tag_counts'];

/**
 * A vacuum that shortens a table, and a sweep of words, lock it for some milliseconds; a vacuum
 * gives way to whoever waits. Longer is a lock that requests notice, too. In milliseconds.
 */
const lockWithinMs = 500;

/** @throws what the driver throws when a table cannot be read, or not be written at the moment. */
export async function tryTables(connection: Connection, { servers }: Division): Promise<void> {
  const tables = servers === undefined ? [...written, ...writtenInBuckets] : written;
  const { statement, values } = countQuery();
  await connection.run(statement, values, readWithinMs);
  // Take one lock at a time, so that nobody waits for it, and stop at the first that is refused.
  for (const table of tables) {
    const lock = `SET LOCAL lock_timeout = ${lockWithinMs}; LOCK TABLE ${table} IN ROW EXCLUSIVE MODE;`;
    await connection.run(`DO $$ BEGIN ${lock} END $$`, [], readWithinMs);
  }
}
