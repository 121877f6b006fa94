/** Ages on PostgreSQL, by the clock of its server. */
import type { TestContext } from 'node:test';
import type { Engine } from '../../src/store/postgres/division.ts';
import { nowMs } from '../../src/store/postgres/log/change-rows.ts';
import { trimStatement } from '../../src/store/postgres/log/trim-statement.ts';
import { createMigratedDatabase, openOn, withConnection } from './postgres/open-temporary-database.ts';
import { findServer } from './postgres/servers.ts';
import { type AgedStore, describeAges } from './trim-by-age.ts';

describeAges('PostgreSQL', (t) => open(t, 'postgres'));
describeAges('PostgreSQL divided as for Citus', (t) => open(t, 'citus'));

async function open(t: TestContext, engine: Engine): Promise<AgedStore> {
  const database = await createMigratedDatabase(await findServer(18), engine);
  const store = await openOn(database);
  t.after(async () => {
    await store.close();
    await database.remove();
  });
  const run = (text: string, values: readonly unknown[] = []): Promise<void> =>
    withConnection(database, async (connection) => {
      await connection.run(text, values, 60_000);
    });
  return {
    store,
    pass: (wallMs) => run(`UPDATE change_log SET served_at = ${nowMs} - ${wallMs}`),
    trim: (options) => {
      const { statement, values } = trimStatement(options);
      return run(statement.text, values);
    },
    setTimes: (at) => run(`UPDATE changes SET at = ${at}`),
    groups: () =>
      withConnection(database, async (connection) => {
        const { rows } = await connection.run('SELECT name FROM change_groups ORDER BY name', [], 60_000);
        return rows.map(([name]) => String(name));
      }),
  };
}
