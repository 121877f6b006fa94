/** The order of those that wait, how many run at once and wait, and for how long. Shares are tested where requests have them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Semaphore } from '../../src/limits/semaphore.ts';
import { stopClock } from '../support/stop-clock.ts';

const waitMsMax = 5_000;
const isBusy = { name: 'ServiceError', code: 'store_busy' };

/** Work that ends when the test says so. */
function start(semaphore: Semaphore, count: number) {
  const begun: number[] = [];
  const ends = Array.from({ length: count }, () => Promise.withResolvers<number>());
  const results = ends.map(({ promise }, index) =>
    semaphore.run(() => {
      begun.push(index);
      return promise;
    }),
  );
  return { begun, ends, results };
}

it('runs as many at once as it may, in the order of the calls, whether they fail or not', async () => {
  const semaphore = new Semaphore(2, { waitingMax: 3 });
  const { begun, ends, results } = start(semaphore, 5);
  await setImmediate();
  assert.deepEqual(begun, [0, 1]);
  await assert.rejects(
    semaphore.run(async () => 'one too many'),
    isBusy,
  );
  ends[1]?.reject(new Error('made by the test'));
  await assert.rejects(results[1] ?? assert.fail(), /made by the test/);
  await setImmediate();
  assert.deepEqual(begun, [0, 1, 2]);
  for (const [index, { resolve }] of ends.entries()) resolve(index);
  assert.deepEqual(
    (await Promise.allSettled(results)).map((each) => (each.status === 'fulfilled' ? each.value : 'failed')),
    [0, 'failed', 2, 3, 4],
  );
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
  assert.equal(await semaphore.run(async () => 'again'), 'again');
});

it('does not run work that has waited for too long, but those after it', async (t) => {
  const pass = stopClock(t);
  const semaphore = new Semaphore(1, { waitingMax: 2, patienceMs: waitMsMax });
  const { begun, ends, results } = start(semaphore, 2);
  await setImmediate();
  pass(1);
  const late = semaphore.run(async () => 'late');
  pass(waitMsMax);
  for (const [index, { resolve }] of ends.entries()) resolve(index);
  await assert.rejects(results[1] ?? assert.fail(), isBusy);
  assert.equal(await late, 'late');
  assert.deepEqual(begun, [0]);
  assert.equal(await semaphore.run(async () => 'again'), 'again');
});
