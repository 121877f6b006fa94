/** The check of the change log goes red for each way in which a log can be wrong. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkLog } from './check-log.ts';
import { absent, type Operation, type State } from './operation.ts';

function write(result: State, start: number, end: number, isAmbiguous = false): Operation {
  return { what: `write of ${result}`, start, end, accepts: () => true, result, isAmbiguous };
}

function read(seen: State, start: number, end: number): Operation {
  return { what: `read of ${seen}`, start, end, accepts: (state) => state === seen };
}

function check(operations: readonly Operation[], states: readonly State[]): string[] {
  return checkLog({ operations: new Map([[1n, operations]]), snapshots: [] }, new Map([[1n, states]]));
}

const history = [
  write('/a', 1, 4),
  write('/b', 2, 5),
  read('/b', 6, 7),
  write(absent, 8, 9),
  read(absent, 10, 11),
  write('/c', 12, Infinity, true),
];

describe('checkLog()', () => {
  it('accepts each log that explains the history', () => {
    assert.deepEqual(check(history, ['/a', '/b', absent]), []);
    assert.deepEqual(check(history, ['/a', '/b', absent, '/c']), []);
  });

  for (const [about, states, line] of [
    ['a lost change', ['/b', absent], /"\/a" 0 times/],
    ['a change that nobody wrote', ['/a', '/b', absent, '/x'], /nobody wrote/],
    ['a doubled change', ['/a', '/b', '/a', absent], /"\/a" 2 times, of 1 that were sent/],
    ['a lost deletion', ['/a', '/b'], /a deletion 0 times/],
    ['two deletions in a row', ['/a', '/b', absent, absent], /after the same/],
    ['an order that a read contradicts', ['/b', '/a', absent], /does not explain/],
    ['an order that the writes contradict', ['/a', '/b', '/c', absent], /too late or too early|does not explain/],
  ] as const) {
    it(`goes red for ${about}`, () => {
      assert.match(check(history, states).join('\n'), line);
    });
  }

  it('goes red for writes in the wrong order', () => {
    assert.match(check([write('/a', 1, 2), write('/b', 3, 4)], ['/b', '/a']).join(), /too late or too early/);
  });
});
