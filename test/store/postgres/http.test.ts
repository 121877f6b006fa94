/**
 * Runs the scenarios of HTTP and of the client again with services on PostgreSQL: those in which the store decides the outcome. What is the
 * same above the port runs once, on a data folder. STORES=sqlite leaves this out; `postgres-citus` is a database that is divided as for
 * Citus.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { findServer } from './servers.ts';

const files = [
  'http/changes.test.ts',
  'http/create-plant.test.ts',
  'http/create-plant-properties.test.ts',
  'http/delete-plant.test.ts',
  'http/idempotency.test.ts',
  'http/ids.test.ts',
  'http/list-plants.test.ts',
  'http/list-plants-paging.test.ts',
  'http/list-tags.test.ts',
  'http/names.test.ts',
  'http/patch-plant.test.ts',
  'http/put-plant.test.ts',
  'http/tokens.test.ts',
  'http/bulk-export.test.ts',
  'http/bulk-import.test.ts',
  'client/model.test.ts',
];
/** What is random has run on a data folder, too. */
const fewerRuns = { MODEL_RUNS: '8', PROPERTY_RUNS: '100' };
const wanted = (process.env['STORES'] ?? 'sqlite,postgres,postgres-citus').split(',');
const stores = ['postgres', 'postgres-citus'];
const isLeftOut = !stores.some((store) => wanted.includes(store));

describe('on PostgreSQL', { skip: isLeftOut }, () => {
  // Started here, the server is shared by the files.
  before(() => findServer(18));

  for (const store of stores.filter((each) => wanted.includes(each)))
    it(`the scenarios end as on a data folder (${store})`, { timeout: 290_000 }, async () => {
      const paths = files.map((file) => join(import.meta.dirname, '..', '..', file));
      const args = ['--test', '--test-reporter=dot', '--test-concurrency=2', '--test-timeout=120000', ...paths];
      const child = spawn(process.execPath, args, {
        env: { ...fewerRuns, ...process.env, NODE_TEST_CONTEXT: undefined, TEST_STORE: store },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [output, [code]] = await Promise.all([
        text(child.stdout),
        once(child, 'close') as Promise<[number | null]>,
      ]);
      assert.equal(code, 0, output);
    });
});
