/**
 * The grammar of CSV for everything that reads it: RFC 4180 with LF or CRLF; the separator is
 * the first of comma, semicolon and TAB in the header line, outside quotes. A malformed row
 * ends with its line. Works on bytes of UTF-8 and on UTF-16 units: all special characters are
 * ASCII.
 */

/**
 * Position in a row: before a field, in a plain field, between quotes, after a quote that ends
 * its field or is the first of two, after a CR, or after an error.
 */
export type CsvState = 'start' | 'plain' | 'quoted' | 'quote' | 'return' | 'malformed';

export const quote = 0x22;
export const lineFeed = 0x0a;
export const carriageReturn = 0x0d;
/** The special character with the highest code. */
export const semicolon = 0x3b;
const comma = 0x2c;
const tab = 0x09;

/** The separator of a header line without any. */
export const separatorDefault = comma;
/** The header line has not named the separator yet. */
export const separatorUnknown = 0;

/** The state after a unit. A line feed outside quotes ends the row; the next begins at `start`. */
export function nextCsvState(state: CsvState, unit: number, separator: number): CsvState {
  if (state === 'quoted') return unit === quote ? 'quote' : 'quoted';
  if (unit === lineFeed) return 'start';
  if (state === 'malformed' || state === 'return') return 'malformed';
  if (isSeparator(unit, separator)) return 'start';
  if (unit === carriageReturn) return 'return';
  if (unit === quote) return state === 'plain' ? 'malformed' : 'quoted';
  return state === 'quote' ? 'malformed' : 'plain';
}

/** Whether a unit outside quotes separates fields; any of the three while none is known. */
function isSeparator(unit: number, separator: number): boolean {
  if (separator !== separatorUnknown) return unit === separator;
  return unit === comma || unit === semicolon || unit === tab;
}
