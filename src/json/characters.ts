/** The characters of the JSON grammar as UTF-16 units, and their classes. What order they may come in is not said here. */

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
  /** Stands for the end of the text; no character has it. */
  end: -1,
} as const;

/** What the letter behind a backslash stands for; `u` is not among them. */
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

/** Whether two UTF-16 units are one character: a high surrogate, then a low one. NaN, read behind the end, is neither. */
export function isPair(first: number, second: number): boolean {
  return first < code.lowSurrogate && second >= code.lowSurrogate && second < code.behindSurrogates;
}

/** The value of a hexadecimal digit of either case; undefined for any other unit. */
export function hexValue(unit: number): number | undefined {
  if (isDigit(unit)) return unit - code.zero;
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : undefined;
}
