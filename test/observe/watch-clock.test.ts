/** What is logged when the system clock is wrong or jumps. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { watchClock } from '../../src/observe/watch-clock.ts';
import { recordLog } from '../support/record-log.ts';
import { stopClock } from '../support/stop-clock.ts';

it('a clock that is wrong at the start or jumps by a minute is logged, once for each jump', async (t) => {
  const passElapsed = stopClock(t, { apis: ['setInterval'] });
  let wall = 0;
  const { log, lines } = await recordLog('warn');
  const stop = watchClock(log, () => wall);
  const pass = (wallMs: number): void => {
    wall += wallMs;
    passElapsed(10_000);
  };
  assert.deepEqual(
    lines.splice(0).map(({ msg }) => msg),
    ['The system clock is wrong: it is before the release of this program'],
  );
  for (const [wallMs, jumps] of [
    [10_000, []],
    [69_999, []],
    [70_000, [60]],
    [10_000, []],
    [-90_000, [-100]],
  ] as const) {
    pass(wallMs);
    assert.deepEqual(
      lines.splice(0).map(({ seconds }) => seconds),
      jumps,
    );
  }
  stop();
  pass(1e9);
  assert.equal(lines.length, 0);
});
