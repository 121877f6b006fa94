/**
 * Reads bytes of CSV into rows of fields with their line numbers. Rows of nothing but
 * separators are skipped, and a byte order mark at the start. A malformed row does not affect
 * others. Does not know what the columns mean.
 */
import { carriageReturn, type CsvState, lineFeed, nextCsvState, quote } from './csv-grammar.ts';
import { type Row, RowDecoder, rowBytesMax, type RowError, type RowReader } from './row-reader.ts';
import { type RawRow, RowSplitter } from './row-splitter.ts';

/** A field; undefined if there is nothing between its separators, not even quotes. */
export type CsvField = string | undefined;
type CsvRow = Row<readonly CsvField[], RowError>;

const loneReturn =
  'A carriage return (CR) is not followed by a line feed (LF): save the file with LF or CRLF at the end of each line';

export class CsvReader implements RowReader<readonly CsvField[]> {
  readonly #splitter = new RowSplitter(true);
  readonly #decoder = new RowDecoder();

  *read(bytes: Uint8Array): Generator<CsvRow> {
    this.#decoder.take(bytes);
    for (const row of this.#splitter.split(bytes)) if (!row.isBlank) yield this.#parse(row);
  }

  *end(): Generator<CsvRow> {
    for (const row of this.#splitter.end()) if (!row.isBlank) yield this.#parse(row);
  }

  #parse(row: RawRow): CsvRow {
    return parseCsvRow(row, this.#splitter.separator, this.#decoder);
  }
}

/** The fields of a row that is not blank. */
export function parseCsvRow(row: RawRow, separator: number, decoder: Pick<RowDecoder, 'decode'>): CsvRow {
  const { line, bytes, length, markBytes, isOpen, state } = row;
  const endBytes = isOpen ? 0 : state === 'return' ? 2 : 1;
  if (length - markBytes - endBytes > rowBytesMax) return { line, error: toTooLong(row) };
  const text = decoder.decode(bytes.subarray(markBytes, length - endBytes));
  if (text === undefined) return { line, error: { code: 'body_not_utf8' } };
  const isMalformed = state === 'malformed' || (isOpen && (state === 'quoted' || state === 'return'));
  return isMalformed
    ? { line, error: { code: 'csv_malformed', ...describe(text, separator) } }
    : { line, content: toFields(text, separator) };
}

/** The fields of a row that is well-formed. */
function toFields(text: string, separator: number): CsvField[] {
  const separatorText = String.fromCharCode(separator);
  const fields: CsvField[] = [];
  for (let at = 0; at <= text.length;) {
    if (text.charCodeAt(at) === quote) {
      let field = '';
      for (at += 1; ; at += 1) {
        const end = text.indexOf('"', at);
        field += text.slice(at, end);
        at = end + 1;
        if (text.charCodeAt(at) !== quote) break;
        field += '"';
      }
      fields.push(field);
    } else {
      const end = text.indexOf(separatorText, at);
      const field = text.slice(at, end === -1 ? text.length : end);
      fields.push(field === '' ? undefined : field);
      at += field.length;
    }
    at += 1;
  }
  return fields;
}

/** Without numbers: of a much longer row a client sends only the beginning. */
function toTooLong({ lines, isOpen, state, bytes }: RawRow): RowError {
  if (lines > (isOpen ? 0 : 1)) {
    const detail = 'A quote may lack its end, so the lines after it were read as part of its field';
    return { code: 'row_too_long', detail };
  }
  const isLone = state === 'malformed' && bytes.includes(carriageReturn);
  return isLone ? { code: 'row_too_long', detail: loneReturn } : { code: 'row_too_long' };
}

/**
 * Why a row is malformed, if more than its line can be told: how many lines a quote that may
 * lack its end has made part of the row. Counts from the row: in a part of a file, lines have
 * other numbers.
 */
function describe(text: string, separator: number): { readonly detail?: string } {
  let state: CsvState = 'start';
  let innerLines = 0;
  /** Line feeds before the last opening quote. */
  let before = 0;
  for (let at = 0; at < text.length && state !== 'malformed'; at++) {
    const unit = text.charCodeAt(at);
    if (unit === lineFeed) innerLines += 1;
    if (unit === quote && state === 'start') before = innerLines;
    if (state === 'return') return { detail: loneReturn };
    state = nextCsvState(state, unit, separator);
  }
  if (state === 'return') return { detail: loneReturn };
  const isUnclosed = state === 'quoted';
  // The line break at the end of the file begins no line.
  const lines = innerLines - before - (isUnclosed && text.endsWith('\n') ? 1 : 0);
  if (lines === 0 && !isUnclosed) return {};
  const opened = before === 0 ? 'A quote' : `A quote ${before} ${before === 1 ? 'line' : 'lines'} further down`;
  const end = isUnclosed ? 'is never closed' : 'may lack its end';
  const next = lines === 1 ? 'next line was' : `next ${lines} lines were`;
  return { detail: `${opened} ${end}${lines === 0 ? '' : `, so the ${next} read as part of its field`}` };
}
