/** One connection for a command: it is closed whatever happens, or the process would not end. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Connection } from '../../../src/store/postgres/connection.ts';
import { withDatabase } from '../../../src/store/postgres/with-database.ts';
import { createDatabase } from './open-temporary-database.ts';
import { findServer } from './servers.ts';

describe('withDatabase()', () => {
  it('closes its connection when the work fails', async (t) => {
    const database = await createDatabase(await findServer(18));
    t.after(() => database.remove());
    const used: Connection[] = [];
    const work = (connection: Connection): Promise<never> => {
      used.push(connection);
      return Promise.reject(new Error('the work failed'));
    };
    await assert.rejects(
      withDatabase({ url: database.url }, 'check', work),
      /^Error: Cannot check .*: the work failed$/,
    );
    assert.deepEqual(
      used.map(({ isUsable }) => isUsable),
      [false],
    );
  });
});
