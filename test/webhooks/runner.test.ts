/** A Runner on an instance that may not deliver: whoever wakes it makes it look once. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../../src/domain/errors.ts';
import { Runner, type RunnerDeps } from '../../src/webhooks/runner.ts';

it('a runner that is woken when it may not deliver waits to be woken again', async () => {
  let asked = 0;
  const mayDeliver = (): boolean => {
    asked += 1;
    // Else a runner that never rests would let nothing else happen.
    assert.ok(asked < 100, 'it does not rest');
    return false;
  };
  const runner = new Runner('id', { mayDeliver, now: Date.now, shutdown: new AbortController().signal } as RunnerDeps);
  for (let round = 1; round <= 2; round += 1) {
    const before = asked;
    runner.wakeForChanges();
    await nextTurn();
    assert.ok(asked > before);
  }
  await runner.stop();
});

it('a runner logs no line while the store refuses, which has its own', async (t) => {
  const find = async (): Promise<never> => Promise.reject(new ServiceError('store_unavailable'));
  const warn = t.mock.fn();
  const debug = t.mock.fn();
  const runner = new Runner('id', {
    store: { webhooks: { find } },
    log: { warn, debug },
    mayDeliver: () => true,
    ...{ now: Date.now, shutdown: new AbortController().signal },
  } as unknown as RunnerDeps);
  runner.wake();
  await nextTurn();
  await runner.stop();
  assert.equal(warn.mock.callCount(), 0);
  assert.equal(debug.mock.callCount(), 1);
});
