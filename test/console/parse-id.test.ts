/** Ids from text, exact. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseTypedId, parseTypedIds } from '../../console/src/parse-id.ts';

for (const [text, typed] of [
  ['0', 0n],
  ['9223372036854775807', 2n ** 63n - 1n],
  ['-9223372036854775808', -(2n ** 63n)],
  ['000103', 103n],
  [' -007 ', -7n],
  ['0009007199254740993', 2n ** 53n + 1n],
  ['000', 0n],
  ['0009223372036854775808', undefined],
  ['-9223372036854775809', undefined],
  ['-0', undefined],
  ['', undefined],
  ['7a', undefined],
  ['1.0', undefined],
] as const)
  it(`“${text}” is ${typed ?? 'no id'}`, () => {
    assert.deepEqual(parseTypedId(text), typed);
  });

for (const [search, ids] of [
  ['7', [7n]],
  [' 007, 12;-3  7 ', [7n, 12n, -3n]],
  ['7 ferns', []],
  ['7,', [7n]],
  ['', []],
  [Array.from({ length: 100 }, (_, at) => at).join(' '), Array.from({ length: 100 }, (_, at) => BigInt(at))],
  [Array.from({ length: 101 }, (_, at) => at).join(' '), []],
] as const)
  it(`“${search.slice(0, 20)}” searches for ${ids.length} ids`, () => {
    assert.deepEqual(parseTypedIds(search), ids);
  });
