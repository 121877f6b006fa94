/** Compares toPrefixRange() with startsWith, ordered by UTF-8 bytes like databases. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toPrefixRange } from '../../src/store/prefix-range.ts';

function compare(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function isInRange(prefix: string, text: string): boolean {
  const { from, to } = toPrefixRange(prefix);
  return compare(text, from) >= 0 && (to === undefined || compare(text, to) < 0);
}

describe('toPrefixRange()', () => {
  const samples: readonly (readonly [prefix: string, to: string | undefined])[] = [
    ['', undefined],
    ['a', 'b'],
    ['az', 'a{'],
    ['a\u007f', 'a\u0080'],
    ['\u00ff', '\u0100'],
    ['a\ud7ff', 'a\ue000'],
    ['\uffff', '\u{10000}'],
    ['🌱', '🌲'],
    ['\u{10fffe}', '\u{10ffff}'],
    ['\u{10ffff}', undefined],
    ['a\u{10ffff}', 'b'],
    ['a\u{10ffff}\u{10ffff}', 'b'],
    ['\u{10ffff}\u{10ffff}', undefined],
    ['\ud7ff\u{10ffff}', '\ue000'],
  ];
  for (const [prefix, to] of samples) {
    it(`of ${JSON.stringify(prefix)} ends before ${JSON.stringify(to)}`, () => {
      assert.deepEqual(toPrefixRange(prefix), { from: prefix, to });
    });
  }

  it('contains exactly the texts with the prefix', () => {
    // Few characters, so that texts share prefixes; from the boundaries of UTF-16 and Unicode.
    const character = fc.constantFrom(
      '\u0001',
      'a',
      'b',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '\u{10000}',
      '\u{10fffe}',
      '\u{10ffff}',
    );
    const text = fc.array(character, { maxLength: 4 }).map((characters) => characters.join(''));
    let inside = 0;
    const property = fc.property(text, text, (prefix, each) => {
      assert.equal(isInRange(prefix, each), each.startsWith(prefix));
      if (each.startsWith(prefix)) inside++;
    });
    fc.assert(property, { numRuns: 3000 });
    assert.ok(inside > 100 && inside < 2900, `${inside} of 3000 were inside`);
  });

  it('ends before a text without unpaired surrogates', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 4 });
    fc.assert(fc.property(text, (prefix) => toPrefixRange(prefix).to?.isWellFormed() !== false));
  });
});
