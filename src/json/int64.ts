/**
 * Int64 out of text: decides on the digits, never through a double, so that no integer is rounded on its way in.
 * Where the text comes from (a JSON body, a path, a CSV cell) and what a refusal answers is not decided here.
 */

/**
 * Longest JSON number, in characters, that can be an int64 here. Every int64 needs at most 20; the rest is room for
 * spellings such as `9223372036854775807.000`. The bound keeps the decision in constant time.
 */
export const numberLengthMax = 40;

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

/** Most digits of an int64. */
const int64DigitsMax = 19;

/** Most digits that make a double without rounding whatever they are, as 10^15 < 2^53: half the time of `BigInt(text)`. */
const exactDigitsMax = 15;

const minus = 0x2d;
const zero = 0x30;

/** RFC 8259, section 6: sign, digits before the point, digits behind it, exponent. */
const jsonNumber = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/**
 * The int64 that a JSON number means, whatever its spelling: `7`, `7.0`, `70e-1` are 7n; `-0` and `0e999999999` are 0n.
 *
 * Undefined when the number has a fraction, is outside -2^63..2^63-1, is longer than `numberLengthMax`, or is no JSON
 * number at all. The time does not grow with the exponent or the length.
 */
export function toInt64(text: string): bigint | undefined {
  if (text.length > numberLengthMax) return undefined;
  return fromDigits(text) ?? fromSpelling(text);
}

/**
 * The int64 of a path, a query or a CSV cell: an optional minus and digits, in the one spelling that each integer has.
 *
 * Undefined for everything else. `007` and `-0` are refused, so that two different texts never name one plant; so are
 * a plus, a point, an exponent and spaces.
 */
export function parseInt64(text: string): bigint | undefined {
  return /^(?:0|-?[1-9][0-9]{0,18})$/.test(text) ? withinInt64(BigInt(text)) : undefined;
}

/** The range, as the end of the sentence "it must …". */
export const int64Range = `be from ${int64Min} to ${int64Max}`;

/** Why `parseInt64` refuses a text, as the end of the sentence "it …". */
export function describeInvalidInt64(text: string): string {
  if (text === '') return 'must not be empty';
  if (!/^-?[0-9]+$/.test(text)) return 'must consist of digits, after a minus if it is negative';
  if (/^-?0/.test(text)) return 'must be written without leading zeros';
  return `must ${int64Range}`;
}

/** The fast path: a minus or none, then digits alone; undefined when the text is anything else. */
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

/** The general path: shifts the point by the exponent, on the digits. */
function fromSpelling(text: string): bigint | undefined {
  const match = jsonNumber.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return 0n;
  // An exponent beyond 2^53 may be rounded here; it is then far from every bound below, so the answer is the same.
  const zeros = Number(exponent) - fraction.length + (digits.length - significant.length);
  if (zeros < 0 || significant.length + zeros > int64DigitsMax) return undefined;
  return withinInt64(BigInt(sign + significant + '0'.repeat(zeros)));
}

function withinInt64(value: bigint): bigint | undefined {
  return value >= int64Min && value <= int64Max ? value : undefined;
}
