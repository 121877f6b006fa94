/** How deletions are shown in the bin, without a browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toDeletions } from '../../console/src/history/deleted-plants.ts';
import type { Change } from '../../src/client/client.ts';

const changes = [
  [5n, 'Hoya', undefined],
  [4n, 'Aloe', 'g'],
  [3n, 'Moss', 'other'],
  [2n, 'Hoya linearis', 'g'],
] as const;

const log: readonly Change[] = changes.map(([id, name, group]) => ({
  ...{ position: `00000000-${id}`, at: '2026-11-25T10:00:00.000Z', kind: 'deleted', id, before: { id, name } },
  ...(group === undefined ? {} : { group }),
}));

function show(search: string): unknown[] {
  return toDeletions(log, search).map(({ plants, group }) => [plants.map(({ id }) => id), group]);
}

describe('toDeletions()', () => {
  it('makes one line of what a batch deleted, where its newest is', () => {
    assert.deepEqual(show(' '), [
      [[5n], undefined],
      [[4n, 2n], 'g'],
      [[3n], 'other'],
    ]);
  });

  it('shows each plant that a search finds, by words of the name or by id', () => {
    assert.deepEqual(show('HOYA '), [
      [[5n], undefined],
      [[2n], 'g'],
    ]);
    assert.deepEqual(show('lo'), [[[4n], 'g']], 'as the list, also in the middle of a word');
    assert.deepEqual(show('3'), [[[3n], 'other']]);
  });
});
