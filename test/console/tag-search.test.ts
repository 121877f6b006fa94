/** Tags that are found among those in use. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findSimilarTag, listTags, suggestTags } from '../../console/src/copy/tag-search.ts';
import { toVisibleText } from '../../console/src/tags/visible-text.ts';

const tags = [
  { tag: '', plants: 90n },
  { tag: 'sale', plants: 3n },
  { tag: 'Sale', plants: 5n },
  { tag: 'sales', plants: 8n },
  { tag: 'Café au lait', plants: 1n },
  { tag: 'succulent', plants: 2n },
];

describe('a similar tag', () => {
  for (const [typed, found] of [
    ['sale', undefined],
    ['SALE', 'Sale'],
    ['s ale', 'Sale'],
    ['cafe\u0301 AU  lait', 'Café au lait'],
    ['cafeaulait', 'Café au lait'],
    ['sal', undefined],
    ['', undefined],
    ['new', undefined],
  ] as const)
    it(`of ${JSON.stringify(typed)} is ${found ?? 'none'}`, () => {
      assert.equal(findSimilarTag(typed, tags)?.tag, found);
    });
});

describe('suggestions', () => {
  for (const [text, found] of [
    ['succ', ['succulent']],
    ['sale', ['sale', 'sales', 'Sale']],
    ['', ['sales', 'Sale', 'sale', 'succulent', 'Café au lait']],
    ['CAFE', ['Café au lait']],
    ['a', ['sales', 'Sale', 'sale', 'Café au lait']],
    ['c', ['Café au lait', 'succulent']],
    ['x', []],
  ] as const)
    it(`for ${JSON.stringify(text)} are ${found.join() || 'none'}`, () => {
      const suggested = suggestTags(text, tags);
      assert.deepEqual(
        suggested.map(({ tag }) => tag),
        found,
      );
    });
});

describe('the list of all tags', () => {
  it('begins with those that are nearly the same, and says how each is better written', () => {
    const counts = { 'tag 10': 9n, 'tag 9': 9n, ' Sale': 2n, SALE: 1n, sale: 1n, 'à la carte ': 1n, '': 1n, ' ': 1n };
    const listed = listTags(Object.entries(counts).map(([tag, plants]) => ({ tag, plants })));
    assert.deepEqual(
      listed.map(({ tag, variant, better }) => [tag, variant, better]),
      [
        ['', 'first', undefined],
        [' ', 'other', undefined],
        [' Sale', 'first', 'Sale'],
        ['SALE', 'other', 'Sale'],
        ['sale', 'other', 'Sale'],
        ['à la carte ', undefined, 'à la carte'],
        ['tag 9', undefined, undefined],
        ['tag 10', undefined, undefined],
      ],
    );
  });

  it('shows spaces and invisible characters', () => {
    for (const [tag, shown] of [
      [' a  b ', '␣a  b␣'],
      ['  ', '␣␣'],
      ['a\tb\n', 'aU+0009bU+000A'],
      ['\u202Ex\u00A0y\u200B', 'U+202ExU+00A0yU+200B'],
      ['日本 😀', '日本 😀'],
    ] as const)
      assert.equal(toVisibleText(tag), shown);
  });
});
