/** What a form means, without a browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { emptyDraft, findFaults, isDirty, toDraft, toPatch, toPlant } from '../../console/src/plants/plant-form.ts';

const etag = '"Gm3kq0V1xZc7T2b9yJ4LwA"';

describe('a form', () => {
  it('changes nothing until somebody does, whatever the line ends and the tag', () => {
    for (const plant of [{ name: 'a\r\nb\rc' }, { name: '', tag: '' }, { name: 'x', tag: 'y\r\n' }]) {
      const draft = toDraft({ plant: { id: 1n, ...plant }, etag });
      const shown = {
        ...draft,
        name: draft.name.replaceAll(/\r\n?/g, '\n'),
        tag: draft.tag.replaceAll(/\r\n?/g, '\n'),
      };
      assert.equal(toPatch(shown), undefined);
      assert.deepEqual(toPlant(shown), plant);
      assert.equal(isDirty(shown), false);
    }
  });

  it('tells no tag from the empty one', () => {
    const draft = toDraft({ plant: { id: 1n, name: 'x', tag: 'y' }, etag });
    assert.deepEqual(toPatch({ ...draft, tag: '' }), { tag: null });
    assert.deepEqual(toPatch({ ...draft, tag: '', hasEmptyTag: true }), { tag: '' });
    assert.deepEqual(toPlant({ ...emptyDraft, name: 'x' }), { name: 'x' });
  });

  it('keeps the digits of an id, and names what is wrong with another', () => {
    for (const id of ['0', '7', '-1', ' 9007199254740993 ', '9223372036854775807', '-9223372036854775808'])
      assert.equal(findFaults({ ...emptyDraft, id }).id, undefined, id);
    for (const [id, fault] of [
      ['', /Enter an id/],
      ['9223372036854775808', /must be from/],
      ['-9223372036854775809', /must be from/],
      ['07', /whole number/],
      ['-0', /whole number/],
      ['1e3', /whole number/],
      ['x', /whole number/],
    ] as const)
      assert.match(findFaults({ ...emptyDraft, id }).id ?? '', fault, id);
  });

  it('counts characters as the service does', () => {
    assert.equal(findFaults({ ...emptyDraft, id: '1', name: '👩'.repeat(1_000) }).name, undefined);
    assert.match(findFaults({ ...emptyDraft, id: '1', name: '👩'.repeat(1_001) }).name ?? '', /1001 characters/);
    assert.match(findFaults({ ...emptyDraft, id: '1', tag: 'a\0' }).tag ?? '', /U\+0000/);
    assert.match(findFaults({ ...emptyDraft, id: '1', tag: '\ud800' }).tag ?? '', /half of a surrogate pair/);
  });
});
