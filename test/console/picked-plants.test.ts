/** The selection, without a browser: it never has a plant that is not in the list. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Announcement } from '../../console/src/copy/changes.ts';
import { PickedPlants, selectionMax } from '../../console/src/plants/picked-plants.ts';

const rare = { id: 1n, name: 'Hoya', tag: 'rare' };
const other = { id: 2n, name: 'Hoya linearis', tag: 'rare' };

function open() {
  const picked = new PickedPlants({ tag: 'rare' });
  picked.add([rare, other]);
  return { picked, ids: () => [...picked.selection.value.plants.keys()] };
}

describe('the selection', () => {
  for (const [what, filter, left] of [
    ['stays while the filter is the same', { tag: 'rare' }, [1n, 2n]],
    ['ends with another tag', { tag: 'houseplant' }, []],
    ['ends without the tag', {}, []],
    ['ends with a search', { tag: 'rare', search: 'linearis' }, []],
  ] as const)
    it(what, () => {
      const { picked, ids } = open();
      picked.show(filter);
      assert.deepEqual(ids(), left);
    });

  for (const [what, announcement, left] of [
    ['keeps a plant that changed', { kind: 'seen', plant: { ...rare, name: 'Changed' } }, ['Changed', 'Hoya linearis']],
    [
      'loses a plant that left the list',
      { kind: 'stored', plant: { id: 1n, name: 'Hoya' }, isNew: false },
      ['Hoya linearis'],
    ],
    ['loses a plant that was deleted', { kind: 'deleted', id: 2n }, ['Hoya']],
    [
      'does not take a plant that only changed',
      { kind: 'seen', plant: { ...rare, id: 3n } },
      ['Hoya', 'Hoya linearis'],
    ],
    ['is over when many plants may have changed', { kind: 'many' }, []],
    [
      'keeps what a batch has tagged',
      { kind: 'many', batch: { action: 'setTag', plants: [1n], tag: 'rare' } },
      ['Hoya'],
    ],
    ['loses what a batch has untagged', { kind: 'many', batch: { action: 'clearTag', plants: [1n, 2n] } }, []],
  ] as const satisfies readonly (readonly [string, Announcement, readonly string[]])[])
    it(what, () => {
      const { picked } = open();
      picked.hear(announcement);
      assert.deepEqual(
        [...picked.selection.value.plants.values()].map(({ name }) => name),
        left,
      );
    });

  it('of all that match stays after they were tagged, unless the tag is what they match by', () => {
    for (const [filter, isKept] of [
      [{ search: 'hoya' }, true],
      [{ tag: 'rare' }, false],
    ] as const) {
      const picked = new PickedPlants(filter);
      picked.addAll();
      picked.hear({ kind: 'many', batch: { action: 'setTag', plants: filter, tag: 'sale' } });
      assert.equal(picked.selection.value.filter !== undefined, isKept);
    }
  });

  it('can take from a list that is being replaced what is in the next one, too', () => {
    const { picked } = open();
    picked.show({ search: 'inearis' });
    assert.deepEqual([picked.fits(rare), picked.fits(other)], [false, true]);
  });

  it('has a maximum, beyond which nothing is added', () => {
    const { picked, ids } = open();
    picked.add(Array.from({ length: selectionMax }, (_, at) => ({ ...rare, id: BigInt(at) })));
    assert.equal(ids().length, selectionMax);
    picked.toggle({ ...rare, id: -1n });
    assert.ok(!ids().includes(-1n));
    picked.toggle(rare);
    assert.equal(ids().length, selectionMax - 1);
  });

  it('has every plant of the list when all are selected, until another filter is chosen', () => {
    const { picked, ids } = open();
    picked.addAll();
    picked.hear({ kind: 'deleted', id: 1n });
    const { filter, isEmpty } = picked.selection.value;
    assert.deepEqual([filter, isEmpty, ids()], [{ tag: 'rare' }, false, []]);
    assert.ok(picked.selection.value.has(99n));
    picked.show({});
    assert.ok(picked.selection.value.isEmpty);
  });

  it('goes back from all to the loaded plants when one is left out, even if that is not loaded any more', () => {
    const { picked, ids } = open();
    picked.addAll();
    picked.toggle(other, [rare, other, { ...rare, id: 3n }]);
    assert.deepEqual([picked.selection.value.filter, ids()], [undefined, [1n, 3n]]);
    picked.addAll();
    picked.toggle(other, [rare]);
    assert.deepEqual(ids(), [1n]);
  });
});
