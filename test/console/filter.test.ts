/** Which plants the filter of the list lets through, as the service does. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isFound as find } from '../../console/src/copy/scope.ts';

const names: readonly (readonly [search: string, name: string, isFound: boolean, tag?: string])[] = [
  ['DELI mon', 'Monstera deliciosa', true],
  ['onstera ICIOSA', 'Monstera deliciosa', true],
  ['on', 'Monstera deliciosa', false],
  ['ulent mon su', 'Monstera', true, 'Succulents rare'],
  ['monsuc', 'Mon', false, 'suc'],
  ['e', '\u00c9cho', true],
  ['piperita', 'Mentha \u00d7piperita', true],
  ['\u00d7pip', 'Mentha \u00d7 piperita', true],
  ['cactus', '🌵Cactus', true],
  ['🌵', '🌵Cactus', true],
  ['🌵', 'Cactus', false],
  ['+', 'Cactus', false],
  ['美人 2', '月下美人2号', true],
  ['人美', '月下美人', false],
];

for (const [search, name, isFound, tag] of names)
  it(`the search ${search} ${isFound ? 'finds' : 'does not find'} ${name}`, () => {
    assert.equal(find({ id: 1n, name, ...(tag === undefined ? {} : { tag }) }, { search }), isFound);
  });
