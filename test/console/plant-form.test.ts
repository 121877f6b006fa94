/** What a form means, without a browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Draft,
  emptyDraft,
  findErrors,
  isDirty,
  mergeDraft,
  rebaseDraft,
  toDraft,
  toPlant,
} from '../../console/src/form/plant-form.ts';

/** What the form changes. */
const toPatch = (draft: Draft) => mergeDraft(draft, draft.base ?? { name: '' }).patch;
const etag = '"Gm3kq0V1xZc7T2b9yJ4LwA"';
const toTagged = (tag: string | undefined) => ({ id: 1n, name: 'x', ...(tag === undefined ? {} : { tag }) });

describe('a form', () => {
  it('has no changes until it is edited, whatever the line ends and the tag', () => {
    for (const plant of [{ name: 'a\r\nb\rc' }, { name: '', tag: '' }, { name: 'x', tag: 'y\r\n' }]) {
      const draft = toDraft({ plant: { id: 1n, ...plant }, etag });
      const shown = {
        ...draft,
        name: draft.name.replaceAll(/\r\n?/g, '\n'),
        tag: draft.tag.replaceAll(/\r\n?/g, '\n'),
      };
      assert.deepEqual(toPatch(shown), {});
      assert.deepEqual(toPlant(shown), plant);
      assert.equal(isDirty(shown), false);
    }
  });

  it('trims what is typed, and keeps spaces that are stored', () => {
    assert.deepEqual(toPlant({ ...emptyDraft, name: ' Rose\n', tag: '\u00a0sale ' }), { name: 'Rose', tag: 'sale' });
    assert.deepEqual(toPlant({ ...emptyDraft, name: 'x', tag: ' ' }), { name: 'x' });
    assert.equal(findErrors({ ...emptyDraft, id: '1', name: ' ' }).name, 'Enter a name.');
    const stored = toDraft({ plant: { id: 1n, name: ' a ', tag: 'sale ' }, etag });
    assert.deepEqual(toPatch(stored), {});
    assert.deepEqual(toPatch({ ...stored, name: ' b ' }), { name: 'b' });
  });

  it('does not take a name away, and edits a plant that has none', () => {
    const errorOf = (name: string, draft: object) =>
      findErrors({ ...toDraft({ plant: { id: 1n, name }, etag }), ...draft }).name;
    assert.equal(errorOf('Rose', { name: ' ' }), 'Enter a name.');
    for (const name of ['', ' ']) assert.equal(errorOf(name, { tag: 'sale' }), undefined);
    assert.deepEqual(toPatch({ ...toDraft({ plant: { id: 1n, name: '' }, etag }), tag: 'sale' }), { tag: 'sale' });
  });

  it('never turns the empty tag into none, or none into it, whatever is merged', () => {
    const tags = [undefined, '', 'x', 'z'];
    for (const base of tags)
      for (const now of tags)
        for (const typed of [base ?? '', '', ' ', 'y']) {
          const what = JSON.stringify({ base, now, typed });
          const draft = { ...toDraft({ plant: toTagged(base), etag }), tag: typed };
          // What the person did: nothing, removed it, or typed another.
          const mine = typed.trim() === (base ?? '') ? base : typed.trim() || undefined;
          const isCollision = mine !== base && now !== base && mine !== now;
          const { patch, collisions } = mergeDraft(draft, toTagged(now));
          assert.deepEqual(collisions, isCollision ? ['tag'] : [], what);
          if (isCollision) continue;
          const expected = mine === base ? now : mine;
          assert.equal('tag' in patch ? (patch.tag ?? undefined) : now, expected, what);
          const rebased = rebaseDraft(draft, { plant: toTagged(now), etag });
          assert.deepEqual([toPlant(rebased).tag, isDirty(rebased)], [expected, expected !== now], what);
        }
    assert.deepEqual(toPlant({ ...emptyDraft, name: 'x' }), { name: 'x' });
  });

  it('keeps the digits of an id, and names what is wrong with another', () => {
    for (const id of ['0', '007', '-1', ' 9007199254740993 ', '9223372036854775807', '-09223372036854775808'])
      assert.equal(findErrors({ ...emptyDraft, id }).id, undefined, id);
    for (const [id, error] of [
      ['', /Enter an id/],
      ['9223372036854775808', /must be from/],
      ['-09223372036854775809', /must be from/],
      ['-00', /whole number/],
      ['1e3', /whole number/],
      ['x', /whole number/],
    ] as const)
      assert.match(findErrors({ ...emptyDraft, id }).id ?? '', error, id);
  });

  it('counts characters as the service does', () => {
    assert.equal(findErrors({ ...emptyDraft, id: '1', name: '👩'.repeat(1_000) }).name, undefined);
    assert.match(findErrors({ ...emptyDraft, id: '1', name: '👩'.repeat(1_001) }).name ?? '', /1001 characters/);
    assert.match(findErrors({ ...emptyDraft, id: '1', tag: 'a\0' }).tag ?? '', /U\+0000/);
    assert.match(findErrors({ ...emptyDraft, id: '1', tag: '\ud800' }).tag ?? '', /half of a surrogate pair/);
  });

  it('merges with what is stored now, member by member', () => {
    const draft = toDraft({ plant: { id: 1n, name: 'base', tag: 'base' }, etag });
    // Name and tag of the form, what is stored, what is written, what collides.
    for (const [name, tag, stored, patch, collisions] of [
      ['mine', 'base', { name: 'base', tag: 'theirs' }, { name: 'mine' }, []],
      ['base', 'mine', { name: 'theirs' }, {}, ['tag']],
      ['base', 'mine', { name: 'theirs', tag: 'base' }, { tag: 'mine' }, []],
      ['base', '', { name: 'theirs', tag: 'base' }, { tag: null }, []],
      ['mine', 'mine', { name: 'theirs', tag: 'mine' }, {}, ['name']],
      ['mine', 'mine', { name: 'mine', tag: 'mine' }, {}, []],
      ['base', 'base', { name: 'theirs' }, {}, []],
    ] as const)
      assert.deepEqual(mergeDraft({ ...draft, name, tag }, stored), { patch, collisions }, `${name}, ${tag}`);
  });
});
