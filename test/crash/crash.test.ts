/** Promise: every plant answered with 200 survives `kill -9`. A short share of the crash loop, and the same loop on a store that breaks the promise. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCrashLoop } from './crash-loop.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

describe('kill -9 under load', () => {
  it(`loses nothing, invents nothing, tears nothing, decides each race once (SEED=${seed})`, async (t) => {
    const totals = await runCrashLoop({ rounds: 32, seed });
    const { lost, invented, torn, contended, wrong, kills, ...counts } = totals;
    assert.deepEqual(
      { lost, invented, torn, contended, wrong },
      { lost: [], invented: [], torn: [], contended: [], wrong: [] },
    );
    t.diagnostic(`${JSON.stringify(counts)} ${JSON.stringify([...kills])}`);
    assert.ok(counts.acknowledged > 500, `${counts.acknowledged} plants were acknowledged`);
    assert.ok(counts.races > 30, `${counts.races} ids were contended`);
    assert.ok(counts.resent > 300, `${counts.resent} plants were sent again`);
    for (const point of ['before-commit', 'after-commit', 'checkpoint', 'close', 'start'] as const)
      assert.equal(kills.get(point), 4, `kills at ${point}`);
  });

  it(`is seen to lose plants when the answer leaves before the commit (SEED=${seed})`, async () => {
    const { lost } = await runCrashLoop({ rounds: 4, seed, fault: { kind: 'late-commit', ms: 200 } });
    assert.ok(lost.length > 0, 'the loop goes red');
  });
});
