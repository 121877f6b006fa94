/** Turns a prefix into a range of texts, ordered by code point. */

/** `from` is inclusive, `to` exclusive; `to` is undefined if the range has no end. */
export interface TextRange {
  readonly from: string;
  readonly to: string | undefined;
}

export function toPrefixRange(prefix: string): TextRange {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  // The last code point has no successor; raise the one before it.
  while (codePoints.at(-1) === 0x10ffff) codePoints.pop();
  const last = codePoints.pop();
  if (last === undefined) return { from: prefix, to: undefined };
  // Skip the surrogates, U+D800 to U+DFFF.
  return { from: prefix, to: String.fromCodePoint(...codePoints, last === 0xd7ff ? 0xe000 : last + 1) };
}
