/** Parses int64 from its digits, and never rounds. For JSON, paths and CSV alike. */

/**
 * Maximum length of a JSON number that can be an int64, in characters. Int64 needs 20; the rest
 * allows spellings such as `9223372036854775807.000`. The limit keeps the time constant.
 */
export const numberLengthMax = 40;

export const int64Min = -(2n ** 63n);
export const int64Max = 2n ** 63n - 1n;

/** Maximum number of digits of an int64. */
const int64DigitsMax = 19;

/** So many digits are exact as a double, as 10^15 < 2^53: twice as fast as `BigInt(text)`. */
const exactDigitsMax = 15;

const minus = 0x2d;
const zero = 0x30;

/** RFC 8259, section 6: sign, integer digits, fraction digits, exponent. */
const jsonNumber = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/**
 * Returns the int64 of a JSON number in any spelling: `7`, `7.0`, `70e-1` are 7n; `-0` and
 * `0e999999999` are 0n.
 *
 * Undefined if the number has a fraction, is outside -2^63..2^63-1, exceeds `numberLengthMax`, or
 * is not a JSON number. Takes constant time for any exponent and length.
 */
export function toInt64(text: string): bigint | undefined {
  if (text.length > numberLengthMax) return undefined;
  return fromDigits(text) ?? fromSpelling(text);
}

/**
 * Returns the int64 of a path, a query or a CSV cell: an optional minus and digits, in canonical
 * spelling.
 *
 * Undefined for anything else: `007`, `-0`, a plus, a point, an exponent, spaces. So each plant has
 * a single path.
 */
export function parseInt64(text: string): bigint | undefined {
  return /^(?:0|-?[1-9][0-9]{0,18})$/.test(text) ? withinInt64(BigInt(text)) : undefined;
}

/** The range, completing the sentence "it must …". */
export const int64Range = `be from ${int64Min} to ${int64Max}`;

/** Returns why `parseInt64` rejects a text, completing the sentence "it …". */
export function describeInvalidInt64(text: string): string {
  if (text === '') return 'must not be empty';
  if (!/^-?[0-9]+$/.test(text)) return 'must consist of digits, after a minus if it is negative';
  if (/^-?0/.test(text)) return 'must be written without leading zeros';
  return `must ${int64Range}`;
}

/** Fast path: an optional minus, then only digits; otherwise undefined. */
function fromDigits(text: string): bigint | undefined {
  const start = text.charCodeAt(0) === minus ? 1 : 0;
  const count = text.length - start;
  if (count < 1 || count > int64DigitsMax) return undefined;
  if (count > 1 && text.charCodeAt(start) === zero) return undefined;
  let value = 0;
  for (let at = start; at < text.length; at++) {
    const digit = text.charCodeAt(at) - zero;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  if (count > exactDigitsMax) return withinInt64(BigInt(text));
  return BigInt(start === 0 ? value : -value);
}

/** General path: shifts the point by the exponent, on the digits. */
function fromSpelling(text: string): bigint | undefined {
  const match = jsonNumber.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return 0n;
  // An exponent beyond 2^53 may be rounded here, but is far beyond every limit below.
  const zeros = Number(exponent) - fraction.length + (digits.length - significant.length);
  if (zeros < 0 || significant.length + zeros > int64DigitsMax) return undefined;
  return withinInt64(BigInt(sign + significant + '0'.repeat(zeros)));
}

function withinInt64(value: bigint): bigint | undefined {
  return value >= int64Min && value <= int64Max ? value : undefined;
}
