/** What a divided database has besides the tables of schema.ts. It must also be valid on a server without Citus. */

/** @param buckets number of buckets. */
export function toDividedTables(buckets: number): string {
  return `INSERT INTO buckets SELECT generate_series(1, ${buckets - 1});
ALTER TABLE plants DROP CONSTRAINT plants_pkey, ADD PRIMARY KEY (id, bucket);
-- Has its row if the numbers of changesets were skipped since the last crash or failover: both empty a table that is not logged.
CREATE UNLOGGED TABLE skipped_numbers (only_row int PRIMARY KEY CHECK (only_row = 0));
${distribute(['plants', 'buckets', 'tag_counts', 'plant_counts', 'change_batches'], buckets)}`;
}

/** Rows of one bucket are on one node, whatever their table; other tables on the coordinator. */
function distribute(tables: readonly string[], buckets: number): string {
  const calls = tables.map((table) =>
    table === 'plants'
      ? `-- Whatever the server prefers: rows that have copies on other nodes cannot be locked.
    PERFORM set_config('citus.shard_replication_factor', '1', true);
    PERFORM create_distributed_table('plants', 'bucket', shard_count => ${buckets});`
      : `PERFORM create_distributed_table('${table}', 'bucket', colocate_with => 'plants');`,
  );
  return `DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    ${calls.join('\n    ')}
  END IF;
END $$;`;
}
