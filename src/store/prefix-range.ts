/** The texts that begin with a prefix, as a range of texts ordered by code point. Pure; which column is searched is not known here. */

/** `from` is in the range, `to` is the first text after it; undefined when the range has no end. */
export interface TextRange {
  readonly from: string;
  readonly to: string | undefined;
}

export function toPrefixRange(prefix: string): TextRange {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  // The last code point there is has no successor: the one before it is raised then.
  while (codePoints.at(-1) === 0x10ffff) codePoints.pop();
  const last = codePoints.pop();
  if (last === undefined) return { from: prefix, to: undefined };
  // U+D800 to U+DFFF are no characters.
  return { from: prefix, to: String.fromCodePoint(...codePoints, last === 0xd7ff ? 0xe000 : last + 1) };
}
