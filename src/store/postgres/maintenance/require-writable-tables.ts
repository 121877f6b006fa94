/** For a readiness check: a lock of another session would block requests. Changes nothing. */
import type { Connection } from '../connect/connection.ts';
import { readWithinMs } from '../connect/statement.ts';
import type { Division } from '../division.ts';
import { countStatement } from '../read/plant-reads.ts';

/** Tables that writes need. Plants may be on other servers, where they are only read. */
const tables = ['tokens', 'change_log', 'changes', 'webhooks'];
const tablesInBuckets = ['plants', 'change_batches', 'plant_counts', 'tag_counts'];

/**
 * How long to wait for a lock, in milliseconds. A vacuum that shortens a table locks it for some
 * milliseconds, and gives way to others; requests notice a longer lock, too.
 */
const lockWithinMs = 500;

/** @throws what the driver throws when a table cannot be read, or not be written at the moment. */
export async function requireWritableTables(connection: Connection, { servers }: Division): Promise<void> {
  const { statement, values } = countStatement();
  await connection.run(statement, values, readWithinMs);
  // Take one lock at a time, so that nobody waits for it, and stop at the first that is refused.
  for (const table of servers === undefined ? [...tables, ...tablesInBuckets] : tables) {
    const lock = `SET LOCAL lock_timeout = ${lockWithinMs}; LOCK TABLE ${table} IN ROW EXCLUSIVE MODE;`;
    await connection.run(`DO $$ BEGIN ${lock} END $$`, [], readWithinMs);
  }
}
