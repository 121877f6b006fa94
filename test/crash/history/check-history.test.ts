/** The checker of histories: accepts what a correct store can show, and refuses histories that are wrong by construction. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeRandom, type Random } from '../random.ts';
import { checkHistory } from './check-history.ts';
import { checkRegister } from './check-register.ts';
import { checkSnapshots } from './check-snapshots.ts';
import { absent, type Operation, type Snapshot, type State } from './operation.ts';

const anyState = (): boolean => true;

function put(start: number, end: number, result: State, accepts: Operation['accepts'] = anyState): Operation {
  return { what: `put ${result} (${start}-${end})`, start, end, result, accepts };
}

function ambiguous(operation: Operation): Operation {
  return { ...operation, isAmbiguous: true };
}

function read(start: number, end: number, state: State): Operation {
  return { what: `read ${state} (${start}-${end})`, start, end, accepts: (each) => each === state };
}

/** If-Match: the state must be this one. */
const match =
  (state: State): Operation['accepts'] =>
  (each) =>
    each === state;

describe('checkRegister()', () => {
  const samples: readonly (readonly [string, boolean, readonly Operation[]])[] = [
    ['nothing', true, []],
    ['a read of what was put', true, [put(1, 2, '/a'), read(3, 4, '/a')]],
    ['a read of nothing before any write', true, [read(1, 2, absent), put(3, 4, '/a')]],
    ['a lost write', false, [put(1, 2, '/a'), read(3, 4, absent)]],
    ['a value that nobody wrote', false, [put(1, 2, '/a'), read(3, 4, '/b')]],
    ['a value from the future', false, [read(1, 2, '/a'), put(3, 4, '/a')]],
    ['a stale read', false, [put(1, 2, '/a'), put(3, 4, '/b'), read(5, 6, '/a')]],
    ['a read of a write that is running', true, [put(1, 6, '/a'), read(2, 3, '/a')]],
    ['a read before a write that is running', true, [put(1, 6, '/a'), read(2, 3, absent)]],
    ['reads that go back in time', false, [put(1, 8, '/a'), read(2, 3, '/a'), read(4, 5, absent)]],
    [
      'reads that go back from a new version to the old one',
      false,
      [put(1, 2, '/a'), put(3, 8, '/b'), read(4, 5, '/b'), read(6, 7, '/a')],
    ],
    ['writes at the same time, in either order', true, [put(1, 5, '/a'), put(2, 6, '/b'), read(7, 8, '/a')]],
    [
      'two orders of the same two writes',
      false,
      [put(1, 5, '/a'), put(2, 6, '/b'), read(7, 8, '/a'), read(9, 10, '/b')],
    ],
    [
      'two conditional writes that both won',
      false,
      [put(1, 2, '/a'), put(3, 6, '/b', match('/a')), put(4, 7, '/c', match('/a'))],
    ],
    [
      'two conditional writes, one after the other',
      true,
      [put(1, 2, '/a'), put(3, 6, '/b', match('/a')), put(4, 7, '/c', match('/b'))],
    ],
    ['two creates that both won', false, [put(1, 4, '/a', match(absent)), put(2, 5, '/b', match(absent))]],
    [
      'a refusal with no reason',
      false,
      [put(1, 2, '/a'), { ...read(3, 4, '/a'), accepts: (state: State) => state !== '/a' }],
    ],
    ['a write that may have failed, seen', true, [ambiguous(put(1, 2, '/a')), read(3, 4, '/a')]],
    ['a write that may have failed, not seen', true, [ambiguous(put(1, 2, '/a')), read(3, 4, absent)]],
    [
      'a write that may have failed, seen and then not',
      false,
      [ambiguous(put(1, 2, '/a')), read(3, 4, '/a'), read(5, 6, absent)],
    ],
    [
      'a write that was over with the process, and happened later',
      false,
      [ambiguous(put(1, 2, '/a')), read(3, 4, absent), read(5, 6, '/a')],
    ],
    [
      'a write without an end that happens late',
      true,
      [ambiguous(put(1, Infinity, '/a')), read(3, 4, absent), read(5, 6, '/a')],
    ],
    [
      'a write that nobody saw, between two that were seen',
      true,
      [put(1, 2, '/a'), ambiguous(put(3, 4, '/b')), put(5, 6, '/c', match('/b'))],
    ],
    [
      'more writes that may have failed than all their subsets can be tried',
      true,
      [
        put(1, 2, '/0'),
        ...Array.from({ length: 30 }, (_, n) =>
          ambiguous(put(3 + n, 50, `/${n + 1}`, n % 3 === 0 ? match(`/${n}`) : anyState)),
        ),
        read(60, 61, '/28'),
      ],
    ],
    [
      'many writes at once, read in one order',
      true,
      [
        ...Array.from({ length: 9 }, (_, n) => put(n, 20 + n, `/${n}`)),
        ...[4, 1, 8, 0].map((n, i) => read(10 + 2 * i, 11 + 2 * i, `/${n}`)),
      ],
    ],
  ];
  for (const [what, isLinearizable, operations] of samples) {
    it(`${isLinearizable ? 'accepts' : 'refuses'} ${what}`, () => {
      const violation = checkRegister(operations);
      assert.equal(violation === undefined, isLinearizable, violation ?? 'was accepted');
    });
  }

  it('names the operation, the possible states and what was running', () => {
    const violation = checkRegister([put(1, 2, '/a'), put(3, 9, '/b'), read(4, 5, '/c')]);
    assert.match(
      violation ?? '',
      /^read \/c \(4-5\) has no moment .*Possible before: "\/a"\. Running: put \/b \(3-9\)\.$/,
    );
  });

  it('accepts every history of a correct register, and refuses it with one read changed', () => {
    const seed = Number(process.env['SEED'] ?? Date.now() % 1e6);
    for (let round = 0; round < 200; round += 1) {
      const operations = makeHistory(makeRandom(seed + round));
      assert.equal(checkRegister(operations), undefined, `SEED=${seed}, round ${round}`);
      const reads = operations.filter(({ result }) => result === undefined);
      const victim = reads[round % reads.length];
      const changed = operations.map((each) =>
        each === victim ? { ...each, accepts: match('/never written') } : each,
      );
      assert.notEqual(checkRegister(changed), undefined, `SEED=${seed}, round ${round}`);
    }
  });
});

/** Operations of six clients on one register, each with a moment between its start and its end at which it took place. */
function makeHistory(random: Random): Operation[] {
  const clients = [0, 1, 2, 3, 4, 5];
  const plans = clients.flatMap((client) => {
    let place = client / 10;
    return Array.from({ length: 20 }, (_, index) => {
      const start = (place += random.integer(1, 40));
      const moment = start + random.integer(1, 60) + client / 100;
      const end = (place = moment + random.integer(1, 60));
      return { start, moment, end, name: `/${client}.${index}`, isWrite: random.integer(0, 2) === 0 };
    });
  });
  plans.push({ start: 1e6, moment: 1e6 + 1, end: 1e6 + 2, name: 'last read', isWrite: false });
  let state: State = absent;
  return plans
    .sort((one, other) => one.moment - other.moment)
    .map(({ start, end, name, isWrite }) => {
      if (!isWrite) return read(start, end, state);
      state = name;
      return put(start, end, name);
    });
}

describe('checkSnapshots()', () => {
  const snapshot = (start: number, end: number, seen: Readonly<Record<string, State>>): Snapshot => {
    return { what: 'a list', start, end, accepts: (id, state) => state === seen[String(id)] };
  };
  const one = (...operations: Operation[]): [bigint, Operation[]] => [1n, operations];
  const two = (...operations: Operation[]): [bigint, Operation[]] => [2n, operations];
  const samples: readonly (readonly [string, boolean, readonly [bigint, Operation[]][], Snapshot])[] = [
    ['an empty store', true, [one(), two()], snapshot(1, 2, { 1: absent, 2: absent })],
    ['two plants', true, [one(put(1, 2, '/a')), two(put(3, 4, '/b'))], snapshot(5, 6, { 1: '/a', 2: '/b' })],
    [
      'the new plant missing and the old one deleted, though the delete came after the create',
      false,
      [one(put(1, 2, '/a'), put(6, 7, absent)), two(put(4, 5, '/b'))],
      snapshot(3, 9, { 1: absent, 2: absent }),
    ],
    [
      'the new plant there and the old one not yet deleted',
      true,
      [one(put(1, 2, '/a'), put(6, 7, absent)), two(put(4, 5, '/b'))],
      snapshot(3, 9, { 1: '/a', 2: '/b' }),
    ],
    [
      'the second of two writes without the first',
      false,
      [one(put(1, 2, '/a'), put(4, 5, '/c')), two(put(6, 7, '/b'))],
      snapshot(3, 9, { 1: '/a', 2: '/b' }),
    ],
    [
      'the second of two writes that ran at once without the first',
      true,
      [one(put(1, 2, '/a'), put(4, 8, '/c')), two(put(6, 7, '/b'))],
      snapshot(3, 9, { 1: '/a', 2: '/b' }),
    ],
    [
      'a write that may have failed overwrites nothing for certain',
      true,
      [one(put(1, 2, '/a'), ambiguous(put(4, 5, '/c'))), two(put(6, 7, '/b'))],
      snapshot(3, 9, { 1: '/a', 2: '/b' }),
    ],
    ['a plant that was never written', false, [one(), two()], snapshot(1, 2, { 1: '/a', 2: absent })],
  ];
  for (const [what, isMoment, operations, seen] of samples) {
    it(`${isMoment ? 'accepts' : 'refuses'} ${what}`, () => {
      const violations = checkSnapshots({ operations: new Map(operations), snapshots: [seen] });
      assert.equal(violations.length, isMoment ? 0 : 1, violations.join('\n'));
    });
  }

  it('is not all: snapshots that go back in time are refused as reads of each plant', () => {
    const operations = new Map([one(put(1, 9, '/a'))]);
    const snapshots = [snapshot(2, 3, { 1: '/a' }), snapshot(4, 5, { 1: absent })];
    assert.deepEqual(checkSnapshots({ operations, snapshots }), []);
    assert.match(checkHistory({ operations, snapshots }).join(), /^Plant 1: a list has no moment/);
  });
});
