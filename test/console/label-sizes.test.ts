/** Labels on their sheets, without a browser. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isLoopback, labelSizes, labelsMax, toGridOf, toSheets } from '../../console/src/labels/label-sizes.ts';

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

for (const [address, isLocal] of [
  ['http://127.0.0.1:3000/console', true],
  ['http://127.1/', true],
  ['https://localhost/', true],
  ['http://[::1]:80/', true],
  ['http://127.example.org/', false],
  ['http://192.168.1.7:3000/', false],
  ['plants', false],
] as const)
  it(`phones ${isLocal ? 'cannot' : 'may'} reach ${address}`, () => {
    assert.equal(isLoopback(address), isLocal);
  });
