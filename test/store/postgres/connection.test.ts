/** The servers that a connection must not be used with. What one says is changed by the test, as none here is configured so. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createDatabase } from './open-temporary-database.ts';
import { findServer } from './servers.ts';

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
    [3, 'local', 'synchronous_commit cannot be set'],
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
