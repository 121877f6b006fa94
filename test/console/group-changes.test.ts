/** Changes that were made together, as the activity joins them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { groupChanges, isTagging, toEntries, toUndoText } from '../../console/src/history/group-changes.ts';
import type { Change } from '../../src/client/client.ts';

/** `A` adds, `a` changes. Newest first: each is that many seconds older than the one before. */
const log = (...made: (readonly [who: string, secondsEarlier: number, group?: string])[]): Change[] => {
  let at = Date.parse('2026-11-21T10:00:00.000Z');
  return made.map(([who, secondsEarlier, group], id) => ({
    position: String(id),
    at: new Date((at -= secondsEarlier * 1_000)).toISOString(),
    kind: who === who.toUpperCase() ? 'created' : 'replaced',
    id: BigInt(id),
    plant: { id: BigInt(id), name: `Plant ${id}` },
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

it('toEntries() finds what was undone, by what, what may go on, and which changes an undo would change back', () => {
  const [redo, undo] = ['undo-00000002-undo-00000001-g', 'undo-00000001-g'];
  const numbered = (...made: Parameters<typeof log>) => log(...made).map((each) => ({ ...each, id: 7n }));
  for (const [changes, expected] of [
    [numbered(['a', 0, undo], ['a', 0, 'g']), ['0 g', '1']],
    [numbered(['a', 0, redo], ['a', 0, undo], ['a', 0, 'g']), [`0 ${undo}`, '1 g', '0']],
    [numbered(['a', 0, 'undo-0123456789abcdef01234567'], ['a', 0, 'g']), ['0', '0']],
    [numbered(['a', 0, 'undo-00000001-import-1']), ['0 import-1']],
    [numbered(['a', 0, 'undo-00000001-my-import-1']), ['0']],
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
    toEntries(numbered(['a', 0], ['b', 0])).map(({ canUndo }) => canUndo.size),
    [1, 0],
  );
});

it('toEntries() finds no undo for a group of whose plants none is as it left them, and which are as before', () => {
  const made = (group: string, id: bigint, before?: string, after?: string): Change =>
    ({
      ...(log(['a', 0, group])[0] ?? assert.fail()),
      ...{ id, position: `${group} ${id} ${after}`, kind: 'replaced' },
      plant: after === undefined ? undefined : { id, name: after },
      before: before === undefined ? undefined : { id, name: before },
    }) as Change;
  const deletions = [made('g', 2n, 'Ivy'), made('g', 1n, 'Fern')];
  const back = [made('x', 2n, undefined, 'Ivy'), made('y', 1n, undefined, 'Fern')];
  const undone = [made('undo-00000001-g', 2n, undefined, 'Ivy'), made('restore-1', 1n, undefined, 'Fern')];
  for (const [newer, expected, why, partly] of [
    [[], [true, 0], 'nothing is newer'],
    [back.slice(1), [true, 0], 'one of two is back'],
    [back, [false, 2], 'all are back'],
    [[made('z', 1n, undefined, 'Moss'), ...back.slice(0, 1)], [false, 0], 'all exist, one with another name'],
    [[made('z', 2n, 'Ivy'), ...back], [true, 0], 'deleted again'],
    [
      [made('z', 1n, 'Fern', 'Moss'), ...undone],
      [false, 2],
      'one was restored, the other undone, and one changed since',
    ],
    [[made('undo-00000001-restore-1', 1n, 'Fern'), ...undone], [true, 1], 'the restoring was undone'],
    [back, [true, 0], 'a part was read', 'g'],
    [back, [true, 0], 'a part of what is newer was read', 'x'],
  ] as const) {
    const counts = new Map(partly === undefined ? [] : [[partly, 3]]);
    const entries = toEntries([...newer, ...deletions], counts);
    assert.deepEqual([entries.at(-1)?.canUndo.size !== 0, entries.at(-1)?.undone], expected, why);
  }
});

it('toEntries() finds the undo of a change without a group also after its plant was deleted and restored', () => {
  const made = (before?: string, after?: string): Change =>
    ({
      ...(log(['a', 0])[0] ?? assert.fail()),
      ...{ position: `${before} ${after}`, id: 0n },
      kind: after === undefined ? 'deleted' : before === undefined ? 'created' : 'replaced',
      plant: after === undefined ? undefined : { id: 0n, name: after },
      ...(before === undefined ? {} : { before: { id: 0n, name: before } }),
    }) as Change;
  const [edited, deleted, restored] = [made('Fern', 'Ivy'), made('Ivy'), made(undefined, 'Ivy')];
  for (const [changes, expected] of [
    [
      [restored, deleted, edited],
      ['undo', 'undone', 'undo'],
    ],
    [
      [made('Ivy'), restored, deleted, edited],
      ['undo', 'changed', 'undone', 'changed'],
    ],
    [
      [made('Ivy', 'Fern'), edited],
      ['undo', 'undone'],
    ],
  ] as const)
    assert.deepEqual(
      toEntries(changes).map(({ canUndo, undone }) => (undone > 0 ? 'undone' : canUndo.size > 0 ? 'undo' : 'changed')),
      expected,
    );
});

it('toUndoText() says what happens to the plants, also to those that were not read', () => {
  const [all, part] = [2, 9];
  const [added, again, back, changed] = [
    'Added plants are deleted.',
    'Restored plants are deleted again.',
    'Deleted plants come back.',
    'Changed plants get back what they had.',
  ];
  const deleted = log(['a', 0, 'g'], ['a', 0, 'g']).map((each) => ({ ...each, kind: 'deleted' as const }));
  for (const [line, read, expected] of [
    [log(['A', 0, 'import-1'], ['A', 0, 'import-1']), all, [added]],
    [log(['A', 0, 'import-1'], ['a', 0, 'import-1']), all, [added, changed]],
    [log(['A', 0, 'import-1']), part, [added, changed]],
    [log(['A', 0, 'restore-1']), part, [again]],
    [log(['A', 0, 'undo-1']), part, [again, back, changed]],
    [log(['A', 0, 'undo-00000001-import-1']), part, [again, back, changed]],
    [log(['A', 0, `undo-00000001-${'0'.repeat(24)}`]), part, [again]],
    [deleted, all, [back]],
    [deleted, part, [back]],
  ] as const) {
    const [entry = assert.fail()] = toEntries(line, new Map([[line[0]?.group ?? '', read]]));
    assert.equal(toUndoText(entry), expected.join(' '));
  }
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
