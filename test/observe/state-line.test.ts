/** A state is one line when it begins and one when it ends, however many requests meet it. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { StateLine, type StateLineOptions } from '../../src/observe/state-line.ts';
import { stopClock } from '../support/stop-clock.ts';

/** A state whose clock stands still, and its lines so far. */
function open(t: TestContext, options: Partial<StateLineOptions> = {}) {
  const passMs = stopClock(t, { apis: ['setTimeout'] });
  const lines: unknown[] = [];
  const log = {
    error: (fields: unknown, message?: string) => lines.push([message, fields]),
    warn: (fields: unknown, message?: string) => lines.push([message, fields, 'warn']),
    info: (fields: unknown, message?: string) => lines.push([message, fields]),
  };
  const state = new StateLine(log, () => performance.now(), { began: 'began', ended: 'ended', ...options });
  const pass = (seconds: number): void => passMs(seconds * 1_000);
  return { state, pass, takeLines: () => lines.splice(0) };
}

describe('StateLine', () => {
  it('logs the first note and the end, and how long and how often it was', (t) => {
    const { state, pass, takeLines } = open(t);
    state.end();
    state.note({ code: 7 });
    assert.deepEqual(takeLines(), [['began', { code: 7 }]]);
    pass(100);
    state.note({ code: 8 }, 2);
    assert.deepEqual(takeLines(), []);
    state.end();
    state.end();
    assert.deepEqual(takeLines(), [['ended', { seconds: 100, times: 3 }]]);
  });

  it('logs at another level, and whose end it is', (t) => {
    const { state, takeLines } = open(t, { level: 'warn' });
    state.note({ code: 7 });
    state.end({ of: 'x' });
    assert.deepEqual(takeLines(), [
      ['began', { code: 7 }, 'warn'],
      ['ended', { of: 'x', seconds: 0, times: 1 }],
    ]);
  });

  it('logs one that comes and goes once a minute', (t) => {
    const { state, pass, takeLines } = open(t);
    for (let second = 0; second < 120; second += 1) {
      state.note({});
      state.end();
      pass(1);
    }
    const once = [
      ['began', {}],
      ['ended', { seconds: 0, times: 1 }],
    ];
    assert.deepEqual(takeLines(), [...once, ...once]);
  });

  it('logs one that must last when it has, and its end once it was quiet', (t) => {
    const { state, pass, takeLines } = open(t, { lastsMsMin: 10_000, quietMs: 10_000 });
    // Refused once every 11 s: not a state.
    for (let times = 0; times < 3; times += 1) {
      state.note({});
      pass(11);
    }
    for (let second = 0; second < 10; second += 1) {
      state.note({});
      // Other calls succeed in between.
      state.end();
      pass(1);
    }
    assert.deepEqual(takeLines(), []);
    state.note({});
    assert.deepEqual(takeLines(), [['began', {}]]);
    state.end();
    pass(9);
    assert.deepEqual(takeLines(), []);
    pass(1);
    assert.deepEqual(takeLines(), [['ended', { seconds: 20, times: 11 }]]);
  });
});
