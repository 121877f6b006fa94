/**
 * Reads bytes of CSV into rows of fields with their line numbers. Rows of nothing but
 * separators are skipped, and a byte order mark at the start. A malformed row does not affect
 * others. Does not know what the columns mean.
 */
import { quote } from './csv-grammar.ts';
import { type Row, RowDecoder, rowBytesMax, type RowError, type RowReader } from './row-reader.ts';
import { type RawRow, RowSplitter } from './row-splitter.ts';

/** A field; undefined if there is nothing between its separators, not even quotes. */
export type CsvField = string | undefined;
type CsvRow = Row<readonly CsvField[], RowError>;

/** Says more of a row that is malformed; without a text, of one that is too long. */
type Explain = (row: RawRow, separator: number, text?: string) => string | undefined;

export class CsvReader implements RowReader<readonly CsvField[]> {
  readonly #splitter = new RowSplitter(true);
  readonly #decoder = new RowDecoder();
  readonly #explain: Explain | undefined;

  /** @param explain `explainCsvRow`, for an app that shows what is wrong. */
  constructor(explain?: Explain) {
    this.#explain = explain;
  }

  *read(bytes: Uint8Array): Generator<CsvRow> {
    this.#decoder.take(bytes);
    for (const row of this.#splitter.split(bytes)) if (!row.isBlank) yield this.#parse(row);
  }

  *end(): Generator<CsvRow> {
    for (const row of this.#splitter.end()) if (!row.isBlank) yield this.#parse(row);
  }

  #parse(row: RawRow): CsvRow {
    return parseCsvRow(row, this.#splitter.separator, this.#decoder, this.#explain);
  }
}

/** The fields of a row that is not blank. */
export function parseCsvRow(
  row: RawRow,
  separator: number,
  decoder: Pick<RowDecoder, 'decode'>,
  explain?: Explain,
): CsvRow {
  const { line, bytes, length, markBytes, isOpen, state } = row;
  const endBytes = isOpen ? 0 : state === 'return' ? 2 : 1;
  if (length - markBytes - endBytes > rowBytesMax)
    return { line, error: { code: 'row_too_long', detail: explain?.(row, separator) } };
  const text = decoder.decode(bytes.subarray(markBytes, length - endBytes));
  if (text === undefined) return { line, error: { code: 'body_not_utf8' } };
  const isMalformed = state === 'malformed' || (isOpen && (state === 'quoted' || state === 'return'));
  return isMalformed
    ? { line, error: { code: 'csv_malformed', detail: explain?.(row, separator, text) } }
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
