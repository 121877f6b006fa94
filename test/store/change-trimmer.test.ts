/** ChangeTrimmer alone, with steps that the test ends: no database and no clock. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ChangeTrimmer, type TrimOptions, type Trim } from '../../src/store/change-trimmer.ts';
import { stopClock } from '../support/stop-clock.ts';

const minuteMs = 60_000;
const enoughWrites = 1_000;

interface Step {
  readonly options: TrimOptions;
  readonly end: (hasMore: boolean) => Promise<void>;
  readonly fail: () => Promise<void>;
}

function open(t: TestContext): { trimmer: ChangeTrimmer; steps: Step[]; pass: (ms: number) => void } {
  const pass = stopClock(t, { apis: ['setInterval'], readMs: 10 });
  const steps: Step[] = [];
  const trim: Trim = (options) => {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    steps.push({
      options,
      end: (hasMore) => (resolve(hasMore), nextTurn()),
      fail: () => (reject(new Error('made by a test')), nextTurn()),
    });
    return promise;
  };
  return { trimmer: new ChangeTrimmer(trim, { recordsMax: 7, ageMsMax: 4_000 }), steps, pass };
}

it('a trim starts after enough writes, and goes on while there is more', async (t) => {
  const { trimmer, steps } = open(t);
  trimmer.advance(enoughWrites - 1);
  assert.equal(steps.length, 0);
  trimmer.advance(1);
  assert.deepEqual(steps[0]?.options, { recordsMax: 7, ageMsMax: 4_000, elapsedMs: 10 });
  await steps[0].end(true);
  await steps[1]?.end(false);
  trimmer.advance(enoughWrites - 1);
  assert.equal(steps.length, 2, 'the writes are counted anew');
});

it('one trim runs at a time; writes during it count for the next', async (t) => {
  const { trimmer, steps, pass } = open(t);
  trimmer.advance(enoughWrites);
  trimmer.advance(enoughWrites);
  pass(minuteMs);
  assert.equal(steps.length, 1);
  await steps[0]?.end(false);
  assert.equal(steps.length, 2);
});

it('a trim starts every minute, also after one that failed', async (t) => {
  const { steps, pass } = open(t);
  pass(minuteMs);
  await steps[0]?.fail();
  pass(minuteMs);
  assert.deepEqual(
    steps.map(({ options }) => options.elapsedMs),
    [minuteMs + 10, 2 * (minuteMs + 10)],
    'the time of a step that failed counts in the next',
  );
});

it('close() waits for the step that runs, and none starts afterwards', async (t) => {
  const { trimmer, steps, pass } = open(t);
  trimmer.advance(enoughWrites);
  let isClosed = false;
  const closed = trimmer.close().then(() => (isClosed = true));
  await nextTurn();
  assert.equal(isClosed, false);
  await steps[0]?.end(true);
  await closed;
  trimmer.advance(enoughWrites);
  pass(minuteMs);
  assert.equal(steps.length, 1);
});
