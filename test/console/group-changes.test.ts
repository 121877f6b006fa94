/** Changes that were made together, as the activity joins them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { groupChanges, isTagging, toEntries } from '../../console/src/history/group-changes.ts';
import type { Change } from '../../src/client/client.ts';

/** `A` adds, `a` changes. Newest first: each is that many seconds older than the one before. */
const log = (...made: (readonly [who: string, secondsEarlier: number, group?: string])[]): Change[] => {
  let at = Date.parse('2026-11-21T10:00:00.000Z');
  return made.map(([who, secondsEarlier, group], id) => ({
    position: String(id),
    at: new Date((at -= secondsEarlier * 1_000)).toISOString(),
    kind: who === who.toUpperCase() ? 'created' : 'replaced',
    id: BigInt(id),
    by: { token: who.toLowerCase(), name: who },
    ...(group === undefined ? {} : { group }),
  }));
};

for (const [what, changes, joined] of [
  ['joins those of an author that follow each other within 5 seconds', log(['A', 0], ['A', 5], ['A', 5]), ['0 1 2']],
  ['parts them where the pause is longer', log(['A', 0], ['A', 1], ['A', 1], ['A', 5.001]), ['0 1 2', '3']],
  ['shows two one by one', log(['A', 0], ['A', 1]), ['0', '1']],
  ['parts additions from changes', log(['A', 0], ['A', 1], ['A', 1], ['a', 1]), ['0 1 2', '3']],
  ['joins them around those by someone else', log(['A', 0], ['B', 1], ['A', 1], ['A', 1]), ['0 2 3', '1']],
  [
    'joins a batch whatever the pauses, and never with others',
    log(['a', 0, 'g'], ['a', 0], ['a', 900, 'g']),
    ['0 2', '1'],
  ],
] as const)
  it(`groupChanges() ${what}`, () => {
    assert.deepEqual(
      groupChanges(changes).map((each) => each.map(({ id }) => id).join(' ')),
      joined,
    );
  });

it('toEntries() finds what was undone, by what, what may go on, and which single changes are the last of their plant', () => {
  const [redo, undo] = ['undo-00000002-undo-00000001-g', 'undo-00000001-g'];
  const numbered = (...made: Parameters<typeof log>) => log(...made).map((each) => ({ ...each, id: 7n }));
  for (const [changes, expected] of [
    [numbered(['a', 0, undo], ['a', 0, 'g']), ['0 g', '1']],
    [numbered(['a', 0, redo], ['a', 0, undo], ['a', 0, 'g']), [`0 ${undo}`, '1 g', '0']],
    [numbered(['a', 0, 'undo-0123456789abcdef01234567'], ['a', 0, 'g']), ['0', '0']],
  ] as const)
    assert.deepEqual(
      toEntries(changes).map(({ undone, undoes }) =>
        [undone, undoes?.line[0]?.group].filter((each) => each !== undefined).join(' '),
      ),
      expected,
    );
  assert.deepEqual(
    toEntries(log(['a', 0, undo], ['b', 0, 'g']), new Map([['g', 5]])).map(({ count, undone }) => [count, undone]),
    [
      [1, 0],
      [5, 1],
    ],
  );
  assert.deepEqual(
    toEntries(log(['a', 0, 'g'], ['a', 0, 'h'], ['b', 0]), new Map([['g', 5]]), false).map(({ isCut }) => isCut),
    [false, true, true],
  );
  assert.deepEqual(
    toEntries(numbered(['a', 0], ['b', 0])).map(({ isLast }) => isLast),
    [true, false],
  );
});

it('isTagging() is true of a batch that changed nothing but the tag, to the same one', () => {
  const change = (name: string, tag: string, nameBefore = name): Change => ({
    ...(log(['a', 0, 'g'])[0] ?? assert.fail()),
    plant: { id: 0n, name, tag },
    before: { id: 0n, name: nameBefore, tag: 'old' },
  });
  for (const [line, expected] of [
    [[change('Aloe', 'sale'), change('Fern', 'sale')], true],
    [[change('Aloe', 'sale'), change('Fern', 'rare')], false],
    [[change('Aloe', 'sale'), change('Fern', 'sale', 'Ivy')], false],
    [log(['a', 0, 'g'], ['a', 0, 'g']), false],
    [[{ ...change('Aloe', 'sale'), group: undefined }], false],
  ] as const)
    assert.equal(isTagging(line as readonly Change[]), expected);
});
