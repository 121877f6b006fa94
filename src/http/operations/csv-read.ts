/**
 * Bytes of CSV into rows of fields with their line numbers: RFC 4180 in UTF-8, LF taken for CRLF, blank lines skipped, a byte order mark at
 * the start dropped. A faulty row costs no other: it ends at the line ending behind its fault. What the columns mean is not known here.
 */
import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../../domain/errors.ts';
import { type Row, rowBytesMax, type RowReader } from './row-reader.ts';

/** A field; undefined when there is nothing between its commas, not even quotes. */
export type CsvField = string | undefined;

export class CsvReader implements RowReader<readonly CsvField[]> {
  #place: Place = 'start';
  #fields: CsvField[] = [];
  /** The field so far. */
  #field = '';
  #isQuoted = false;
  #isUtf8 = true;
  /** Of the row so far, up to the text that is being read. */
  #rowBytes = 0;
  /** On which the row begins. */
  #line = 1;
  /** Line endings between quotes of the row. */
  #innerLines = 0;
  /** The first bytes of a character whose rest has not come. */
  #cut: Buffer = Buffer.alloc(0);
  #isFirst = true;

  *read(bytes: Buffer): Generator<Row<readonly CsvField[]>> {
    const all = this.#cut.length === 0 ? bytes : Buffer.concat([this.#cut, bytes]);
    const end = lengthOfWholeCharacters(all);
    this.#cut = Buffer.from(all.subarray(end));
    yield* this.#readBytes(all.subarray(0, end));
  }

  *end(): Generator<Row<readonly CsvField[]>> {
    yield* this.#readBytes(this.#cut);
    if (this.#place === 'quoted' || this.#place === 'return') this.#place = 'fault';
    yield* this.#endRow();
  }

  *#readBytes(bytes: Buffer): Generator<Row<readonly CsvField[]>> {
    if (isUtf8(bytes)) {
      yield* this.#readText(bytes.toString());
      return;
    }
    // Line by line, so that the fault stays with its row. What stands for it in the text is never handed on.
    for (let start = 0; start < bytes.length;) {
      const end = bytes.indexOf(lineFeed, start) + 1 || bytes.length;
      const line = bytes.subarray(start, end);
      if (!isUtf8(line)) this.#isUtf8 = false;
      yield* this.#readText(line.toString());
      start = end;
    }
  }

  *#readText(text: string): Generator<Row<readonly CsvField[]>> {
    let at = this.#isFirst && text.startsWith('\uFEFF') ? 1 : 0;
    if (text !== '') this.#isFirst = false;
    let rowStart = at;
    while (at < text.length) {
      at = this.#skipTo(text, at);
      if (at < text.length && this.#isRowEnd(text.charCodeAt(at))) {
        this.#rowBytes += Buffer.byteLength(text.slice(rowStart, at));
        yield* this.#endRow();
        rowStart = at + 1;
      }
      at += 1;
    }
    this.#rowBytes += Buffer.byteLength(text.slice(rowStart));
    if (this.#rowBytes > rowBytesMax + 1) {
      // It will be refused: only its place still matters.
      this.#fields = [];
      this.#field = '';
    }
  }

  /** Takes what is plain text at this place, and returns where it ends. */
  #skipTo(text: string, at: number): number {
    if (this.#place === 'start' && text.charCodeAt(at) !== quote) this.#place = 'plain';
    if (this.#place === 'plain') {
      const end = findDelimiter(text, at);
      if (end > at) this.#field += text.slice(at, end);
      return end;
    }
    if (this.#place === 'quoted') {
      const end = indexOrEnd(text, text.indexOf('"', at));
      this.#field += text.slice(at, end);
      for (let next = text.indexOf('\n', at); next !== -1 && next < end; next = text.indexOf('\n', next + 1))
        this.#innerLines += 1;
      return end;
    }
    return this.#place === 'fault' ? indexOrEnd(text, text.indexOf('\n', at)) : at;
  }

  /** Passes one character that is not plain text at its place; true when the row ends with it. */
  #isRowEnd(unit: number): boolean {
    switch (this.#place) {
      case 'start':
        this.#isQuoted = true;
        this.#place = 'quoted';
        return false;
      case 'quoted':
        this.#place = 'quote';
        return false;
      case 'return':
      case 'fault':
        if (unit !== lineFeed) this.#place = 'fault';
        return unit === lineFeed;
      default:
        if (unit === comma) this.#endField();
        else if (unit === carriageReturn) this.#place = 'return';
        else if (unit === quote && this.#place === 'quote') {
          this.#field += '"';
          this.#place = 'quoted';
        } else if (unit !== lineFeed) this.#place = 'fault';
        return unit === lineFeed;
    }
  }

  #endField(): void {
    this.#fields.push(this.#field === '' && !this.#isQuoted ? undefined : this.#field);
    this.#field = '';
    this.#isQuoted = false;
    this.#place = 'start';
  }

  #endRow(): readonly Row<readonly CsvField[]>[] {
    const bytes = this.#rowBytes - (this.#place === 'return' ? 1 : 0);
    const code =
      bytes > rowBytesMax
        ? 'row_too_long'
        : !this.#isUtf8
          ? 'body_not_utf8'
          : this.#place === 'fault'
            ? 'csv_malformed'
            : undefined;
    this.#endField();
    const [line, content] = [this.#line, this.#fields];
    this.#line += 1 + this.#innerLines;
    this.#innerLines = 0;
    this.#rowBytes = 0;
    this.#isUtf8 = true;
    this.#fields = [];
    if (code !== undefined) return [{ line, fault: new ServiceError(code) }];
    return bytes === 0 ? [] : [{ line, content }];
  }
}

/**
 * Where in a row the next character stands: before a field, in one without quotes, between quotes, behind a quote that closes its field or
 * is half of a doubled one, behind a CR, or behind a fault.
 */
type Place = 'start' | 'plain' | 'quoted' | 'quote' | 'return' | 'fault';

const quote = 0x22;
const comma = 0x2c;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Where a field without quotes ends; a quote in it is a fault. */
function findDelimiter(text: string, at: number): number {
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === comma || unit === lineFeed || unit === carriageReturn || unit === quote) break;
  }
  return at;
}

function indexOrEnd(text: string, index: number): number {
  return index === -1 ? text.length : index;
}

/** The length without a last character of which some bytes are still to come. */
function lengthOfWholeCharacters(bytes: Buffer): number {
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
