/** A PostgreSQL database for the histories of several instances, on the server of the tests. */
import { setTimeout as wait } from 'node:timers/promises';
import { createMigratedDatabase, withConnection } from '../../store/postgres/open-temporary-database.ts';
import { findServer } from '../../store/postgres/servers.ts';
import type { SharedDatabase } from './run-history.ts';

const triesMax = 200;

export async function createSharedDatabase(): Promise<SharedDatabase & { readonly remove: () => Promise<void> }> {
  const database = await createMigratedDatabase(await findServer(18));
  return {
    url: database.url,
    remove: () => database.remove(),
    untilIdle: () =>
      withConnection(database, async (connection) => {
        const sql = `SELECT count(*)::int FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'plant-store' AND pid <> pg_backend_pid()`;
        for (let tries = 0; ; tries += 1) {
          const { rows } = await connection.run(sql, [], 10_000);
          if (rows[0]?.[0] === 0) return;
          if (tries === triesMax) throw new Error('A session of an instance that was killed does not end');
          await wait(20);
        }
      }),
  };
}
