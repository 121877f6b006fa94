/** Promise: every response is right at one moment between the request and the response, for each plant, also across kills. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMigratedDatabase } from '../../store/postgres/open-temporary-database.ts';
import { findServer } from '../../store/postgres/servers.ts';
import { runHistory } from './run-history.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

describe('32 clients on 20 plants, killed again and again', () => {
  it(`see a linearizable history, and lists and exports of one moment (SEED=${seed})`, async (t) => {
    const { violations, operations, snapshots } = await runHistory({ seed, rounds: 3, requests: 2_500 });
    t.diagnostic(`${operations} operations, ${snapshots} lists and exports`);
    assert.deepEqual(violations, []);
    assert.ok(operations > 2_500, `${operations} operations`);
    assert.ok(snapshots > 100, `${snapshots} lists and exports`);
  });

  it(`see the same on three instances of one database (SEED=${seed})`, { timeout: 300_000 }, async (t) => {
    const database = await createMigratedDatabase(await findServer(18));
    t.after(() => database.remove());
    const { violations, operations, snapshots } = await runHistory({ seed, rounds: 2, requests: 2_500, database });
    t.diagnostic(`${operations} operations, ${snapshots} lists and exports`);
    assert.deepEqual(violations, []);
    assert.ok(operations > 1_500, `${operations} operations`);
  });

  it(`are seen to read the past when the answer leaves before the commit (SEED=${seed})`, async () => {
    const fault = { kind: 'late-commit', ms: 50 } as const;
    const { violations } = await runHistory({ seed, rounds: 1, requests: 800, fault });
    assert.ok(violations.length > 0, 'the check goes red');
  });
});
