/** Promise: every plant answered with 200 survives `kill -9`. The short form of `npm run crash`, and the same loop on a store that breaks the promise. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { moments, runCrashLoop } from './crash-loop.ts';
import { buildLargeStore } from './large-store.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const none = { lost: [], invented: [], torn: [], contended: [], wrong: [] };

describe('kill -9 under load', () => {
  it(`loses, invents and tears nothing, and decides each race once (SEED=${seed})`, async (t) => {
    const totals = await runCrashLoop({ rounds: 2 * moments.length, seed });
    const { lost, invented, torn, contended, wrong, kills, ...counts } = totals;
    t.diagnostic(`${JSON.stringify(counts)} ${JSON.stringify([...kills])}`);
    assert.deepEqual({ lost, invented, torn, contended, wrong }, none);
    assert.ok(counts.acknowledged > 250, `${counts.acknowledged} plants were acknowledged`);
    assert.ok(counts.races > 15, `${counts.races} ids were contended`);
    assert.ok(counts.resent > 150, `${counts.resent} plants were sent again`);
    for (const point of ['before-commit', 'after-commit', 'checkpoint', 'close', 'start'] as const)
      assert.equal(kills.get(point), 2, `kills at ${point}`);
  });

  it(`loses, invents and tears nothing in a store of 300,000 plants (SEED=${seed})`, async (t) => {
    const large = await buildLargeStore(300_000);
    t.after(() => large.remove());
    const totals = await runCrashLoop({ rounds: 5, seed, large });
    const { lost, invented, torn, contended, wrong, acknowledged } = totals;
    assert.deepEqual({ lost, invented, torn, contended, wrong }, none);
    assert.ok(acknowledged > 50, `${acknowledged} plants were acknowledged`);
  });

  it(`is seen to lose plants when the response leaves before the commit (SEED=${seed})`, async () => {
    const { lost } = await runCrashLoop({ rounds: 4, seed, fault: { kind: 'late-commit', ms: 200 } });
    assert.ok(lost.length > 0, 'the loop goes red');
  });
});
