/** Which servers a connection can be used with, and which of their warnings end it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createDatabase, runAsAdmin } from './open-temporary-database.ts';
import { majors } from './server.ts';
import { findServer } from './servers.ts';

// None here is configured so: what it says is changed.
it('a server on which acknowledged plants could be lost or changed is refused', async (t) => {
  const database = await createDatabase(await findServer(18));
  t.after(() => database.remove());
  const connection = await database.connect();
  t.after(() => connection.close());
  const run = connection.run.bind(connection);
  const cases = [
    [0, 149_999, 'PostgreSQL 15 or newer is required'],
    [1, 'SQL_ASCII', 'the database must have the encoding UTF8'],
    [2, 'off', 'fsync must be on: without it acknowledged plants can be lost'],
    [3, 'local', withoutSettings('synchronous_commit', 'local')],
    [8, 'off', withoutSettings('array_nulls', 'off')],
    [9, 'error', withoutSettings('client_min_messages', 'error')],
    [10, 'on', withoutSettings('row_security', 'on')],
    [11, 'replica', 'session_replication_role must be origin for this user and database: with replica, rows are lost'],
    [12, 'on', 'zero_damaged_pages must be off for this user and database: with on, rows are lost'],
    [13, 'on', 'ignore_checksum_failure must be off for this user and database: with on, rows are lost'],
  ] as const;
  for (const [column, value, message] of cases) {
    const mocked = t.mock.method(connection, 'run', async (...args: Parameters<typeof run>) => {
      const { rows, ...rest } = await run(...args);
      return { ...rest, rows: rows.map((row) => row.with(column, value)) };
    });
    await assert.rejects(connection.readState(5_000), { name: 'UnusableServerError', message });
    mocked.mock.restore();
  }
  assert.equal((await connection.readState(5_000)).isWritable, true);
});

function withoutSettings(name: string, value: string): string {
  return `${name} is ${value} although the service has set it: connect to the server directly, not through a pooler`;
}

it('the session of a client that is gone ends after a minute', async (t) => {
  const database = await createDatabase(await findServer(18));
  t.after(() => database.remove());
  const connection = await database.connect();
  t.after(() => connection.close());
  const names = ['idle', 'interval', 'count'].map((name) => `current_setting('tcp_keepalives_${name}')::int`);
  const { rows } = await connection.run(`SELECT ${names.join()}`, [], 60_000);
  const [idle, interval, count] = rows[0] as readonly [number, number, number];
  assert.equal(idle + interval * count, 60);
});

for (const major of majors)
  it(`a warning at the login does not end a connection, a later one does: PostgreSQL ${major}`, async (t) => {
    const server = await findServer(major);
    const database = await createDatabase(server);
    t.after(() => database.remove());
    // Simulates an upgrade of the C library or of ICU: the server then warns at each login.
    await runAsAdmin(server, `UPDATE pg_database SET datcollversion = '1' WHERE datname = '${database.name}'`);
    const connection = await database.connect();
    t.after(() => connection.close());
    assert.equal((await connection.readState(5_000)).isWritable, true);
    assert.equal(connection.isUsable, true);
    await assert.rejects(connection.run(`DO $$ BEGIN RAISE WARNING 'made by the test'; END $$`, [], 60_000), {
      name: 'WarningError',
    });
    assert.equal(connection.isUsable, false);
  });
