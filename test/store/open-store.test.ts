/** toEventListener(): the lines about a database, and how many there are of one that comes and goes. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toEventListener } from '../../src/store/open-store.ts';
import { stopClock } from '../support/stop-clock.ts';

it('toEventListener() reports refusals and waits for locks once, and a minute after the last one that they ended', (t) => {
  const pass = stopClock(t, { apis: ['setTimeout'] });
  const lines: unknown[] = [];
  const listener = toEventListener((message, level, fields) => lines.push([level, message, fields]));
  const reason = new Error('too many connections');
  for (let times = 0; times < 2; times += 1) {
    listener({ kind: 'refused', what: 'connection', reason });
    listener({ kind: 'blocked', by: 'the session 7 of ana' });
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

it('toEventListener() reports hosts and unconfirmed commits ten times a minute, and then the last event with the number of the others', (t) => {
  const pass = stopClock(t, { apis: ['setTimeout'] });
  const lines: unknown[] = [];
  const listener = toEventListener((message, level, fields) =>
    lines.push([level, message, ...(fields ? [fields] : [])]),
  );
  const flap = (times: number): void => {
    for (let time = 0; time < times; time += 1) {
      listener({ kind: 'lost', reason: new Error('gone') });
      listener({ kind: 'found', host: 'one:5432' });
    }
  };
  flap(5);
  assert.deepEqual(lines.splice(0, 2), [
    ['error', 'Cannot use the database: gone'],
    ['info', 'The database host one:5432 accepts writes'],
  ]);
  assert.equal(lines.splice(0).length, 8);
  flap(20);
  listener({ kind: 'in-doubt', reason: new Error('cut') });
  assert.deepEqual(lines, []);
  pass(60_000);
  assert.deepEqual(lines.splice(0), [['warn', 'It is unknown whether writes were committed: cut', { leftOut: 41 }]]);
  flap(1);
  assert.equal(lines.splice(0).length, 2);
  // What was left out is said before what comes later, also if the timer is late.
  pass(60_000);
  flap(5);
  assert.equal(lines.splice(0).length, 10);
  listener({ kind: 'lost', reason: new Error('late') });
  setTimeout(() => listener({ kind: 'found', host: 'one:5432' }), 59_999);
  pass(60_000);
  assert.deepEqual(lines.splice(0), [
    ['error', 'Cannot use the database: late', { leftOut: 1 }],
    ['info', 'The database host one:5432 accepts writes'],
  ]);
  pass(60_000);
  assert.deepEqual(lines, []);
});
