/** Characters of the JSON grammar as UTF-16 units, and their classes. Knows no grammar. */

export const code = {
  quote: 0x22,
  plus: 0x2b,
  comma: 0x2c,
  minus: 0x2d,
  point: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  arrayOpen: 0x5b,
  backslash: 0x5c,
  arrayClose: 0x5d,
  objectOpen: 0x7b,
  objectClose: 0x7d,
  highSurrogate: 0xd800,
  lowSurrogate: 0xdc00,
  behindSurrogates: 0xe000,
  /** Marks the end of the text; no character has this value. */
  end: -1,
} as const;

/** Maps the letter after a backslash to its character; `u` is handled elsewhere. */
export const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

export function isDigit(unit: number): boolean {
  return unit >= code.zero && unit <= code.nine;
}

export function isSurrogate(unit: number): boolean {
  return unit >= code.highSurrogate && unit < code.behindSurrogates;
}

/** Returns whether two UTF-16 units are a surrogate pair; false for NaN, read past the end. */
export function isPair(first: number, second: number): boolean {
  return first < code.lowSurrogate && second >= code.lowSurrogate && second < code.behindSurrogates;
}

/** Returns the value of a hexadecimal digit in either case; undefined for other units. */
export function hexValue(unit: number): number | undefined {
  if (isDigit(unit)) return unit - code.zero;
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : undefined;
}
