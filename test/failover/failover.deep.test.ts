/**
 * Promise: nothing acknowledged is lost with a machine of the database. The short form of `npm run failover`, and the same with a service
 * that breaks the promise.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runFailover } from './run-failover.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

describe('three instances on a primary with two standbys', () => {
  it(`lose, invent and tear nothing, and need no restart (SEED=${seed})`, { timeout: 600_000 }, async (t) => {
    const { acknowledged, races, writableMs, ...findings } = await runFailover({
      seed,
      faults: ['kill the primary, promote', 'hang the primary, promote, wake it'],
    });
    t.diagnostic(`${acknowledged} acknowledged, ${races} races, writable after ${Math.round(writableMs)} ms`);
    for (const [kind, found] of Object.entries(findings)) assert.deepEqual(found.slice(0, 5), [], kind);
    assert.ok(acknowledged > 100, `${acknowledged} plants were acknowledged`);
  });

  it(`are seen to lose plants that were not replicated (SEED=${seed})`, { timeout: 300_000 }, async () => {
    const weakness = 'asynchronous';
    const { lost } = await runFailover({ seed, faults: ['kill the primary, promote'], weakness });
    assert.ok(lost.length > 0, 'the run goes red');
  });
});
