/** One round of the loop that crash.deep.test.ts runs at length: a kill under load, and what is stored afterwards. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runCrashLoop } from './crash-loop.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);

it(`kill -9 under load loses, invents and tears nothing (SEED=${seed})`, async () => {
  const { lost, invented, torn, contended, wrong, acknowledged } = await runCrashLoop({ rounds: 1, seed });
  assert.deepEqual(
    { lost, invented, torn, contended, wrong },
    { lost: [], invented: [], torn: [], contended: [], wrong: [] },
  );
  assert.ok(acknowledged > 0, 'plants were acknowledged before the kill');
});
