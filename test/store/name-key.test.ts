/** toNameKey(): which names are found under which others. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toNameKey } from '../../src/store/name-key.ts';

const samples: readonly (readonly [name: string, key: string])[] = [
  ['', ''],
  [' A b ', ' a b '],
  ['MONSTERA', 'monstera'],
  ['\u00c9cho', 'echo'],
  ['E\u0301CHO', 'echo'],
  ['E\u0323\u0301', 'e'],
  ['\u0301', ''],
  ['stra\u00dfe', 'strasse'],
  ['STRA\u1e9eE', 'strasse'],
  ['\u0130', 'i'],
  ['\u0131', 'i'],
  ['I', 'i'],
  ['\u03a3\u03c3\u03c2', '\u03c3\u03c3\u03c3'],
  ['\ufb01', 'fi'],
  ['\u01c4\u01c5\u01c6', '\u01c6\u01c6\u01c6'],
  ['\u212b\u00c5', 'aa'],
  ['\u00c6\u00d8', '\u00e6\u00f8'],
  ['\ud55c\u1112\u1161\u11ab', '\ud55c\ud55c'],
  ['\u304c\u304b\u3099', '\u304b\u304b'],
  ['\u0928\u093c\u0940', '\u0928'],
  ['🌱👩‍👩‍👧', '🌱👩‍👩‍👧'],
  ['☀\ufe0f', '☀'],
  ['Z\u0351\u0344A\u0310\u0314LGO', 'zalgo'],
  ['\u2028\u202e\u200b', '\u2028\u202e\u200b'],
  ['\u{1d400}\uff21', '\u{1d400}\uff41'],
  ['\u{10400}', '\u{10428}'],
  ['\u{10ffff}\uffff', '\u{10ffff}\uffff'],
  ['%_\\\'"', '%_\\\'"'],
];

describe('toNameKey()', () => {
  for (const [name, key] of samples) {
    it(`${JSON.stringify(name)} is ${JSON.stringify(key)}`, () => assert.equal(toNameKey(name), key));
  }

  it('is the same for every canonically equal spelling, and for its own result', () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.string({ unit: 'grapheme', maxLength: 8 }));
    const property = fc.property(text, (name) => {
      const key = toNameKey(name);
      assert.equal(toNameKey(name.normalize('NFC')), key);
      assert.equal(toNameKey(name.normalize('NFD')), key);
      assert.equal(toNameKey(key), key);
      assert.ok(key.isWellFormed());
    });
    fc.assert(property, { numRuns: 3000 });
  });

  it('is its own key, in every case of letters, for every character that may have one', () => {
    // Beyond are ideographs, which have neither case nor accents, and private use.
    for (let codePoint = 1; codePoint <= 0x1ffff; codePoint++) {
      if (codePoint === 0x3400) codePoint = 0xa000;
      if (codePoint === 0xac00) codePoint = 0xf900;
      const character = String.fromCodePoint(codePoint);
      const key = toNameKey(character);
      const others = [key, character.toLowerCase(), character.normalize('NFC'), character.normalize('NFD')];
      // The iota below a Greek vowel is taken away as an accent, and its upper case is a letter.
      if (!character.normalize('NFD').includes('\u0345')) others.push(character.toUpperCase());
      for (const each of others) if (toNameKey(each) !== key) assert.fail(`U+${codePoint.toString(16)} differs`);
      if (!toNameKey(`x${character}x`).startsWith(`x${key}`)) assert.fail(`U+${codePoint.toString(16)} is no prefix`);
    }
  });

  it('of ASCII is lower case, on whichever way it is made', () => {
    const property = fc.property(fc.string({ unit: 'binary-ascii', maxLength: 20 }), (name) => {
      assert.equal(toNameKey(name), name.toLowerCase());
      assert.equal(toNameKey(`${name}\u0301`), name.toLowerCase());
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('of a prefix is a prefix of the key, cut where a reader sees a character end', () => {
    // Whole characters, not marks: a mark that is cut off belonged to no character.
    const character = fc.constantFrom('a', 'B', '\u00e9', 'e\u0301', '\u00df', '\u0130', '\u03c3', '🌱', '\ufb01', ' ');
    const property = fc.property(fc.array(character, { maxLength: 8 }), fc.nat(8), (characters, count) => {
      const prefix = characters.slice(0, count).join('');
      assert.ok(toNameKey(characters.join('')).startsWith(toNameKey(prefix)));
    });
    fc.assert(property, { numRuns: 1000 });
  });
});
