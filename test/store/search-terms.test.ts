/** Terms of names and tags: they decide which plants a search finds. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toWords } from '../../src/domain/search-words.ts';
import { toIndexedWords, toSearchTerms, toTagTerm, toWantedWords } from '../../src/store/search-terms.ts';

const samples: readonly (readonly [name: string, words: readonly string[]])[] = [
  ['', []],
  [' A b ', ['a', 'b']],
  ['MONSTERA deliciosa', ['monstera', 'deliciosa']],
  ['a A a', ['a']],
  ['\u00c9cho', ['echo']],
  ['E\u0301CHO', ['echo']],
  ['E\u0323\u0301', ['e']],
  ['\u0301', []],
  ['stra\u00dfe', ['strasse']],
  ['STRA\u1e9eE', ['strasse']],
  ['\u0130', ['i']],
  ['\u0131', ['i']],
  ['\u03a3\u03c3\u03c2', ['\u03c3\u03c3\u03c3']],
  ['\ufb01', ['fi']],
  ['\u01c4\u01c5\u01c6', ['\u01c6\u01c6\u01c6']],
  ['\u212b\u00c5', ['aa']],
  ['\u00c6\u00d8', ['\u00e6\u00f8']],
  ['\ud55c\u1112\u1161\u11ab', ['\ud55c\ud55c']],
  ['\u304c\u304b\u3099', ['\u304b\u304b']],
  ['🌱👩‍👩‍👧 fern', ['🌱', '👩', '👧', 'fern']],
  ['Mentha \u00d7piperita', ['mentha', '\u00d7', 'piperita']],
  ['🌵Cactus Knock Out\u00ae', ['🌵', 'cactus', 'knock', 'out', '\u00ae']],
  ['L\u00b4Hoir 1 \u20ac', ['l', '\u00b4', 'hoir', '1', '\u20ac']],
  ['☀\ufe0f', ['☀']],
  ['Z\u0351\u0344A\u0310\u0314LGO', ['zalgo']],
  ['so\u00adft', ['soft']],
  ['a\u2028b\u00a0c\u3000d\u2014e\u00abf\u00bb', ['a', 'b', 'c', 'd', 'e', 'f']],
  ["Aloe 'Black-Gem' (x2), C++ 50%_\\", ['aloe', 'black', 'gem', 'x2', 'c', '50']],
  ['\u{1d400}\uff21', ['\u{1d400}\uff41']],
  ['\u{10400}', ['\u{10428}']],
  ['ガジュマル2号、vera観葉', ['カシュマル', '2', '号', 'vera', '観葉']],
  ['\u{10ffff}\uffff', ['\u{10ffff}\uffff']],
];

describe('toWords()', () => {
  for (const [name, words] of samples) {
    it(`of ${JSON.stringify(name)} are ${JSON.stringify(words)}`, () => assert.deepEqual(toWords(name), words));
  }

  it('truncates a word to 100 code points', () => {
    for (const character of ['a', 'é', '\u{10428}', '\u{2fffd}']) {
      const letter = toWords(character)[0] ?? '';
      assert.deepEqual(toWords(character.repeat(100)), [letter.repeat(100)]);
      assert.deepEqual(toWords(`${character.repeat(1000)} b`), [letter.repeat(100), 'b']);
    }
  });

  it('are equal for canonically equal spellings, and idempotent', () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.string({ unit: 'grapheme', maxLength: 8 }));
    const property = fc.property(text, (name) => {
      const words = toWords(name);
      assert.deepEqual(toWords(name.normalize('NFC')), words);
      assert.deepEqual(toWords(name.normalize('NFD')), words);
      assert.deepEqual(toWords(words.join(' ')), words);
      assert.ok(words.every((word) => word.isWellFormed()));
    });
    fc.assert(property, { numRuns: 3000 });
  });

  it('are equal in each letter case, for every character that may have one', () => {
    // Beyond are ideographs, which have neither case nor accents, and private use.
    for (let codePoint = 1; codePoint <= 0x1ffff; codePoint++) {
      if (codePoint === 0x3400) codePoint = 0xa000;
      if (codePoint === 0xac00) codePoint = 0xf900;
      const character = String.fromCodePoint(codePoint);
      const word = toWords(character).join(' ');
      const others = [word, character.toLowerCase(), character.normalize('NFC'), character.normalize('NFD')];
      // The iota below a Greek vowel is a removed accent, but its upper case is a letter.
      if (!character.normalize('NFD').includes('\u0345')) others.push(character.toUpperCase());
      for (const each of others)
        if (toWords(each).join(' ') !== word) assert.fail(`U+${codePoint.toString(16)} differs`);
    }
  });

  it('of a prefix are prefixes of the words, if cut between visible characters', () => {
    // Complete characters: a combining mark alone belongs to none.
    const character = fc.constantFrom('a', 'B', '\u00e9', 'e\u0301', '\u00df', '\u0130', '\u03c3', '🌱', '\ufb01');
    const property = fc.property(fc.array(character, { maxLength: 8 }), fc.nat(8), (characters, count) => {
      const [prefix = ''] = toWords(characters.slice(0, count).join(''));
      assert.ok((toWords(characters.join(''))[0] ?? '').startsWith(prefix));
    });
    fc.assert(property, { numRuns: 1000 });
  });
});

describe('toTagTerm()', () => {
  it('is unique to its tag, and never a word', () => {
    const tag = fc.string({
      unit: fc.constantFrom('a', 'A', '_', '4', '1', ' ', 'é', '🌱', 'z', '\x7f'),
      maxLength: 6,
    });
    const property = fc.property(tag, tag, (one, other) => {
      assert.equal(toTagTerm(one) === toTagTerm(other), one === other);
      assert.match(toTagTerm(one), /^__[0-9a-z_\u0080-\u{10ffff}]*$/u);
      assert.ok(!toWords(toTagTerm(one)).includes(toTagTerm(one)));
    });
    fc.assert(property, { numRuns: 3000 });
  });

  it('is short for a long tag, and still unique', () => {
    const tags = [
      'a'.repeat(198),
      'a'.repeat(199),
      'a'.repeat(1000),
      ' '.repeat(1000),
      `${' '.repeat(999)}a`,
      '🌱'.repeat(1000),
    ];
    const terms = tags.map(toTagTerm);
    assert.equal(new Set(terms).size, tags.length);
    assert.ok(terms.every((term) => term.length <= 202));
  });
});

describe('toIndexedWords()', () => {
  it('has each place of an unspaced word where a search may begin, in at most 8 characters', () => {
    assert.deepEqual(toIndexedWords('Aloe 月下美人'), ['aloe', '月下美人', '下美人', '美人', '人']);
    assert.deepEqual(toIndexedWords('一二三四五六七八九').slice(0, 3), [
      '一二三四五六七八',
      '二三四五六七八九',
      '三四五六七八九',
    ]);
    assert.deepEqual(toWantedWords({ name: '一二三四五六七八九' }), [{ beginnings: ['一二三四五六七八'] }]);
    assert.equal(
      toIndexedWords('𠮷'.repeat(1_000)).join(' '),
      Array.from({ length: 8 }, (_, at) => '𠮷'.repeat(8 - at)).join(' '),
    );
  });

  it('of the longest name have bounded length', () => {
    const name = String.fromCodePoint(...Array.from({ length: 1_000 }, (_, at) => 0x4e00 + at));
    assert.equal(toIndexedWords(name).length, 100);
  });
});

describe('toSearchTerms()', () => {
  it('are the words of the name, and the tag, or that there is none', () => {
    assert.deepEqual(toSearchTerms({ name: 'Aloe Vera' }), ['aloe', 'vera', '___n']);
    assert.deepEqual(toSearchTerms({ name: 'Aloe', tag: 'Sun & shade' }), [
      'aloe',
      '_sun',
      '_shade',
      '___53un_20_26_20shade',
    ]);
    assert.deepEqual(toSearchTerms({ name: '', tag: '' }), ['__']);
  });
});
