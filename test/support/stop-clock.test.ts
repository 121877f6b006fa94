/** A clock that stays stopped would spoil the tests after this one. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { stopClock } from './stop-clock.ts';

it('a clock stops once, moves with its test, and runs again after it', async (outer) => {
  const before = performance.now();
  await outer.test('stopped', (t) => {
    const pass = stopClock(t);
    const stopped = performance.now();
    pass(1e9);
    assert.equal(performance.now() - stopped, 1e9);
    assert.throws(() => stopClock(t), /The clock is stopped already/);
  });
  const after = performance.now();
  assert.ok(after > before && after < before + 1e9);
});
