/** The only place where a test replaces a clock; the linter refuses it elsewhere. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { cleanUp } from './clean-up.ts';
import { now } from './real-clock.ts';

interface ClockOptions {
  /** What stops with `performance.now()`. `Date` begins at 0. Default: nothing. */
  readonly apis?: readonly ('Date' | 'setInterval' | 'setTimeout')[];
  /** Goes on after each read, in milliseconds. Default: 0. */
  readonly readMs?: number;
  /** Runs, and `pass` sets it forward. Default: false. */
  readonly isRunning?: boolean;
}

/** Stops the clock of the process until the end of the test. Returns what lets time pass, in milliseconds. */
export function stopClock(
  t: TestContext,
  { apis = [], readMs = 0, isRunning = false }: ClockOptions = {},
): (ms: number) => void {
  assert.ok(
    !Object.hasOwn(performance, 'now'),
    'The clock is stopped already, by this test or one that runs beside it',
  );
  // A whole number, so that differences are exact.
  const stoppedAt = Math.ceil(now());
  let passedMs = 0;
  performance.now = () => {
    const current = (isRunning ? now() : stoppedAt) + passedMs;
    passedMs += readMs;
    return current;
  };
  if (apis.length > 0) t.mock.timers.enable({ apis: [...apis] });
  cleanUp(t, async () => {
    Reflect.deleteProperty(performance, 'now');
    t.mock.timers.reset();
  });
  return (ms) => {
    passedMs += ms;
    if (apis.length > 0) t.mock.timers.tick(ms);
  };
}
