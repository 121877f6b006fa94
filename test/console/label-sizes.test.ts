/** Labels on their sheets, without a browser. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  findSize,
  labelSizes,
  labelsMax,
  toGridOf,
  toNameScale,
  toSheets,
} from '../../console/src/labels/label-sizes.ts';
import { isLoopback } from '../../console/src/ui/loopback.ts';

it('sheets have as many labels as those of the maker', () => {
  const counts = labelSizes.map((size) => [size.avery, toGridOf(size).columns * toGridOf(size).rows]);
  assert.deepEqual(Object.fromEntries(counts.filter(([avery]) => avery !== undefined)), {
    L7651: 65,
    L7160: 21,
    L7165: 8,
  });
});

it('labels start in the first free place, each as often as wanted, up to a maximum', () => {
  assert.deepEqual(toSheets(['a', 'b'], 4, { start: 3, copies: 2 }), [
    [undefined, undefined, 'a', 'a'],
    ['b', 'b'],
  ]);
  assert.deepEqual(toSheets(['a'], 4, { start: 1, copies: 1 }), [['a']]);
  assert.deepEqual(toSheets([], 4, { start: 3, copies: 2 }), []);
  const many = toSheets(
    Array.from({ length: 500 }, (_, at) => at),
    8,
    { start: 1, copies: 50 },
  );
  assert.equal(many.flat().length, labelsMax);
});

for (const [what, words, expected] of [
  ['as they are where they fit', [5, 6], 100],
  ['smaller for a long word', [8.2], 90],
  ['no smaller than 70 % for a longer one, which is divided', [20], 70],
  ['smaller where the words need too many lines', [4.5, 4.5, 4.5, 4.5, 4.5], 75],
  ['as they are for short words that share a line', [2, 2, 2, 2, 2, 2], 100],
  ['as they are without a word', [], 100],
] as const)
  it(`letters of a name are ${what}`, () => {
    const size = findSize('medium');
    assert.equal(toNameScale(words, size.room, size), expected);
  });

for (const [address, isLocal] of [
  ['http://127.0.0.1:3000/console', true],
  ['http://127.1/', true],
  ['https://localhost/', true],
  ['http://[::1]:80/', true],
  ['http://127.example.org/', false],
  ['http://192.168.1.7:3000/', false],
] as const)
  it(`phones ${isLocal ? 'cannot' : 'may'} reach ${address}`, () => {
    assert.equal(isLoopback(address), isLocal);
  });
