/** How deletions are shown in the bin, without a browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDeleted, toDeletions } from '../../console/src/history/deleted-plants.ts';
import type { Change, ChangePageOptions, PlantClient } from '../../src/client/client.ts';

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
  return toDeletions(log, search).map(({ key, plants }) => [plants.map(({ id }) => id), key]);
}

describe('toDeletions()', () => {
  it('makes one line of what a batch deleted, where its newest is', () => {
    assert.deepEqual(show(' '), [
      [[5n], '00000000-5'],
      [[4n, 2n], 'g'],
      [[3n], 'other'],
    ]);
  });

  it('leaves out what was added again since, and shows what was deleted twice once', () => {
    const [newest = assert.fail(), next = assert.fail()] = log;
    const again: Change = { ...newest, position: '00000000-7', kind: 'created' };
    const shown = (...newer: Change[]) =>
      toDeletions([...newer, ...log], '').map(({ newest: { position } }) => position);
    assert.deepEqual(shown(again), ['00000000-4', '00000000-3']);
    assert.deepEqual(shown({ ...next, position: '00000000-8', id: 5n }, again).slice(0, 2), [
      '00000000-8',
      '00000000-3',
    ]);
  });

  it('shows each plant that a search finds, by words of the name or by id', () => {
    assert.deepEqual(show('HOYA '), [
      [[5n], '00000000-5'],
      [[2n], '00000000-2'],
    ]);
    assert.deepEqual(show('loe'), [[[4n], '00000000-4']], 'as the list, also in the middle of a word');
    for (const id of ['3', '003']) assert.deepEqual(show(id), [[[3n], '00000000-3']]);
  });
});

describe('readDeleted()', () => {
  it('reads all that a batch deleted of a full list, whatever was deleted before and after', async () => {
    const deleted = Array.from({ length: 20_100 }, (_, at) => ({
      position: String(at),
      group: at < 50 ? undefined : 'g',
    }));
    const older = Array.from({ length: 900 }, (_, at) => ({ position: String(deleted.length + at) }));
    const all = [...deleted.slice(0, 20_050), ...older];
    const changesPage = ({ after, pageSize = 0 }: ChangePageOptions) => {
      const from = Number(after ?? -1) + 1;
      const items = all.slice(from, from + pageSize);
      return Promise.resolve({ items, position: from + pageSize < all.length ? items.at(-1)?.position : undefined });
    };
    const client = { changesPage } as unknown as PlantClient;
    const { items } = await readDeleted(client, '', 100, undefined, AbortSignal.timeout(60_000));
    assert.equal(items.filter(({ group }) => group === 'g').length, 20_000);
    assert.notEqual(items.at(-1)?.group, 'g', 'there is no more of it');
  });
});
