/** Tags that are found among those in use. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findSimilarTag, suggestTags } from '../../console/src/plants/tag-search.ts';

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
  for (const [text, found, more] of [
    ['succ', ['succulent'], 0],
    ['sale', ['sale', 'sales'], 1],
    ['', ['sales', 'Sale'], 3],
    ['CAFE', ['Café au lait'], 0],
    ['x', [], 0],
  ] as const)
    it(`for ${JSON.stringify(text)} begin with ${found[0] ?? 'nothing'}`, () => {
      const suggested = suggestTags(text, tags, 2);
      assert.deepEqual([suggested.tags.map(({ tag }) => tag), suggested.more], [found, more]);
    });
});
