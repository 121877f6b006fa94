/**
 * Reads bytes of CSV into rows of fields with their line numbers. Blank lines are skipped, and a byte order mark at the
 * start. A malformed row does not affect others. Does not know what the columns mean.
 */
import {
  carriageReturn,
  type CsvState,
  isSeparator,
  lineFeed,
  nextCsvState,
  quote,
  separatorDefault,
  separatorUnknown,
} from './csv-grammar.ts';
import {
  decodeLossy,
  decodeUtf8,
  join,
  type Row,
  rowBytesMax,
  type RowError,
  type RowReader,
  utf8Length,
} from './row-reader.ts';

/** A field; undefined if there is nothing between its separators, not even quotes. */
export type CsvField = string | undefined;
type CsvRow = Row<readonly CsvField[], RowError>;

export class CsvReader implements RowReader<readonly CsvField[]> {
  #state: CsvState = 'start';
  #separator: number = separatorUnknown;
  #fields: CsvField[] = [];
  /** The field so far. */
  #field = '';
  #isQuoted = false;
  #isUtf8 = true;
  /** Bytes of the row before the text that is being read. */
  #rowBytes = 0;
  /** Line on which the row begins. */
  #line = 1;
  /** Line endings inside quotes in this row, and of them those before the last quote that opened. */
  #innerLines = 0;
  #innerLinesBeforeQuote = 0;
  /** The first bytes of an incomplete character. */
  #cut: Uint8Array = new Uint8Array(0);
  #isFirst = true;

  *read(bytes: Uint8Array): Generator<CsvRow> {
    const all = this.#cut.length === 0 ? bytes : join(this.#cut, bytes);
    const end = lengthOfCompleteCharacters(all);
    this.#cut = all.slice(end);
    yield* this.#readBytes(all.subarray(0, end));
  }

  *end(): Generator<CsvRow> {
    yield* this.#readBytes(this.#cut);
    yield* this.#endRow(true);
  }

  *#readBytes(bytes: Uint8Array): Generator<CsvRow> {
    const text = decodeUtf8(bytes);
    if (text !== undefined) {
      yield* this.#readText(text);
      return;
    }
    // Line by line, so that the error affects only its row. The replacement characters are never returned.
    for (let start = 0; start < bytes.length;) {
      const end = bytes.indexOf(lineFeed, start) + 1 || bytes.length;
      const line = bytes.subarray(start, end);
      const lineText = decodeUtf8(line);
      if (lineText === undefined) this.#isUtf8 = false;
      yield* this.#readText(lineText ?? decodeLossy(line));
      start = end;
    }
  }

  *#readText(text: string): Generator<CsvRow> {
    let at = this.#isFirst && text.startsWith('\uFEFF') ? 1 : 0;
    if (text !== '') this.#isFirst = false;
    let rowStart = at;
    while (at < text.length) {
      at = this.#skip(text, at);
      if (at < text.length && this.#isRowEnd(text.charCodeAt(at))) {
        this.#rowBytes += utf8Length(text.slice(rowStart, at));
        yield* this.#endRow(false);
        rowStart = at + 1;
      }
      at += 1;
    }
    this.#rowBytes += utf8Length(text.slice(rowStart));
    if (this.#rowBytes > rowBytesMax + 1) {
      // It will be refused: only its state still matters.
      this.#fields = [];
      this.#field = '';
    }
  }

  /** Takes plain text as long as the state stays the same; returns where that ends. */
  #skip(text: string, at: number): number {
    if (this.#state === 'start' && text.charCodeAt(at) !== quote) this.#state = 'plain';
    if (this.#state === 'plain') {
      const end = this.#findDelimiter(text, at);
      if (end > at) this.#field += text.slice(at, end);
      return end;
    }
    if (this.#state === 'quoted') {
      const end = indexOrEnd(text, text.indexOf('"', at));
      const part = text.slice(at, end);
      this.#field += part;
      // Not in the text, where the search would not end with the part: quotes would make it quadratic.
      for (let next = part.indexOf('\n'); next !== -1; next = part.indexOf('\n', next + 1)) this.#innerLines += 1;
      return end;
    }
    return this.#state === 'malformed' ? indexOrEnd(text, text.indexOf('\n', at)) : at;
  }

  /** Where a field without quotes ends; a quote in it is an error. */
  #findDelimiter(text: string, at: number): number {
    const separator = this.#separator;
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === lineFeed || unit === carriageReturn || unit === quote || isSeparator(unit, separator)) break;
    }
    return at;
  }

  /** Takes one character at which the state may change; true if it ends the row. */
  #isRowEnd(unit: number): boolean {
    const before = this.#state;
    if (unit === lineFeed && before !== 'quoted') return true;
    this.#state = nextCsvState(before, unit, this.#separator);
    if (this.#state === 'start') {
      this.#separator = unit;
      this.#endField();
    } else if (unit === quote && this.#state === 'quoted') {
      if (before === 'quote') this.#field += '"';
      else this.#innerLinesBeforeQuote = this.#innerLines;
      this.#isQuoted = true;
    }
    return false;
  }

  #endField(): void {
    this.#fields.push(this.#field === '' && !this.#isQuoted ? undefined : this.#field);
    this.#field = '';
    this.#isQuoted = false;
    this.#state = 'start';
  }

  #endRow(isEnd: boolean): readonly CsvRow[] {
    const bytes = this.#rowBytes - (!isEnd && this.#state === 'return' ? 1 : 0);
    const error = this.#findError(bytes, isEnd);
    this.#endField();
    const [line, content] = [this.#line, this.#fields];
    this.#line += 1 + this.#innerLines;
    this.#innerLines = 0;
    this.#innerLinesBeforeQuote = 0;
    this.#rowBytes = 0;
    this.#isUtf8 = true;
    this.#fields = [];
    if (error === undefined && bytes === 0) return [];
    if (this.#separator === separatorUnknown) this.#separator = separatorDefault;
    return [error === undefined ? { line, content } : { line, error }];
  }

  #findError(bytes: number, isEnd: boolean): RowError | undefined {
    const isMalformed =
      this.#state === 'malformed' || (isEnd && (this.#state === 'quoted' || this.#state === 'return'));
    if (bytes > rowBytesMax) {
      if (this.#innerLines === 0) return { code: 'row_too_long' };
      // Without numbers: of a much longer row a client sends only the beginning.
      return {
        code: 'row_too_long',
        detail: 'A quote may lack its end, so the lines after it were read as part of its field',
      };
    }
    if (!this.#isUtf8) return { code: 'body_not_utf8' };
    return isMalformed
      ? { code: 'csv_malformed', ...this.#describeSwallowed(isEnd && this.#state === 'quoted') }
      : undefined;
  }

  /**
   * How many lines a quote that may lack its end has made part of the row.
   * Counts from the row: in a part of a file, lines have other numbers.
   */
  #describeSwallowed(isUnclosed: boolean): { readonly detail?: string } {
    const before = this.#innerLinesBeforeQuote;
    // The line break at the end of the file begins no line.
    const lines = this.#innerLines - before - (isUnclosed && this.#field.endsWith('\n') ? 1 : 0);
    if (lines === 0 && !isUnclosed) return {};
    const opened = before === 0 ? 'A quote' : `A quote ${before} ${before === 1 ? 'line' : 'lines'} further down`;
    const end = isUnclosed ? 'is never closed' : 'may lack its end';
    const next = lines === 1 ? 'next line was' : `next ${lines} lines were`;
    return { detail: `${opened} ${end}${lines === 0 ? '' : `, so the ${next} read as part of its field`}` };
  }
}

function indexOrEnd(text: string, index: number): number {
  return index === -1 ? text.length : index;
}

/** The length without a last character that is incomplete. */
function lengthOfCompleteCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) {
      const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return wanted > back ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}
