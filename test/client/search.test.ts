/** Which plants an app finds itself, as the service does. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { toSearchTest, toSearchText } from '../../src/client/client.ts';
import { hasWord, toWantedWords, toWordTerms } from '../../src/store/search-terms.ts';

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
  ["Rosa 'Hansa', 2 L", 'Rosa rugosa ’Hansa’, 2 L', true],
  ['’hansa’', "Rosa rugosa 'Hansa'", true],
  ["'", "Rosa rugosa 'Hansa'", false],
  ['+', 'Cactus', false],
  ['美人 2', '月下美人2号', true],
  ['人美', '月下美人', false],
];

for (const [search, name, isFound, tag] of names)
  it(`the search ${search} ${isFound ? 'finds' : 'does not find'} ${name}`, () => {
    assert.equal(toSearchTest(search)(toSearchText({ name, ...(tag === undefined ? {} : { tag }) })), isFound);
  });

it('an app finds what the service finds, whatever is searched', () => {
  const letter = fc.constantFrom(..."aAbB2 ,'’_-×ßẞéİı", '\u0301', '\u00ad', '🌵', '美', '人', 'ก', '\n');
  const text = fc.string({ unit: letter, maxLength: 12 });
  fc.assert(
    fc.property(text, fc.option(text, { nil: undefined }), text, fc.nat(12), (name, tag, other, from) => {
      // Often a part of the name.
      const search = from === 0 ? other : `${name.slice(from - 1, from + 2)} ${other.slice(from)}`;
      const plant = { id: 1n, name, ...(tag === undefined ? {} : { tag }) };
      const terms = toWordTerms(plant);
      const isFound = toWantedWords({ search }).every((word) => hasWord(terms, word));
      assert.equal(toSearchTest(search)(toSearchText(plant)), isFound);
    }),
    { numRuns: 2_000 },
  );
});
