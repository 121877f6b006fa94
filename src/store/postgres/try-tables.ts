/** Tries what requests need: a lock on a table refuses it at once. Changes nothing. */
import type { Buckets } from './buckets.ts';
import type { Connection } from './connection.ts';
import { readWithinMs } from './query.ts';
import { countQuery } from './tables/plant-reads.ts';

/** Tables that writes need. Those of a divided database are on its nodes, and are only read. */
const written = ['tokens', 'change_log', 'changes', 'webhooks'];
const writtenInBuckets = ['plants', 'change_batches', 'plant_counts', 'tag_counts', 'search_words'];

/** @throws what the driver throws when a table cannot be read, or not be written at the moment. */
export async function tryTables(connection: Connection, buckets: Buckets): Promise<void> {
  const tables = buckets.count === 1 ? [...written, ...writtenInBuckets] : written;
  // One lock at a time: it never waits, nor does anybody wait for it.
  const locks = tables.map((table) => `DO $$ BEGIN LOCK TABLE ${table} IN ROW EXCLUSIVE MODE NOWAIT; END $$`);
  const { statement, values } = countQuery();
  await Promise.all([
    connection.run(statement, values, readWithinMs),
    ...locks.map((sql) => connection.run(sql, [], readWithinMs)),
  ]);
}
