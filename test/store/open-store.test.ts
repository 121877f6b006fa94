/** toEventReporter(): what a database refuses is one line when it begins and one when it has ended. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toEventReporter } from '../../src/store/open-store.ts';

it('toEventReporter() reports refusals and waits for locks once, and a minute after the last one that they ended', (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const pass = (ms: number): void => {
    now += ms;
    t.mock.timers.tick(ms);
  };
  const lines: unknown[] = [];
  const report = toEventReporter((message, level, fields) => lines.push([level, message, fields]));
  const reason = new Error('too many connections');
  for (let times = 0; times < 2; times += 1) {
    report({ kind: 'refused', what: 'connection', reason });
    report({ kind: 'blocked', by: 'the session 7 of ana' });
    pass(30_000);
  }
  assert.deepEqual(lines.splice(0), [
    ['error', 'The database refuses a connection', { reason: 'too many connections' }],
    ['warn', 'Requests wait for a lock in the database', { by: 'the session 7 of ana' }],
  ]);
  pass(29_999);
  assert.deepEqual(lines, []);
  pass(1);
  const end = { seconds: 90, times: 2 };
  assert.deepEqual(lines, [
    ['info', 'The database has refused no connection for a minute', end],
    ['info', 'No request has waited for a lock for a minute', end],
  ]);
});
