/**
 * Splits bytes of NDJSON or CSV into rows, for everything that reads or sends them. Does not
 * look at their content. Stores one unfinished row of bounded length, and the header line.
 */
import { type CsvState, lineFeed, nextCsvState, semicolon, separatorDefault, separatorUnknown } from './csv-grammar.ts';
import { decodeLossy, join, rowBytesMax } from './row-reader.ts';

/** The UTF-8 bytes of U+FEFF, which are dropped at the start. */
const byteOrderMark = [0xef, 0xbb, 0xbf] as const;
/** Bytes of a mark and a line ending, and a byte that shows that a row is too long. */
const furtherBytes = 6;

/** A row as it stands in the bytes, with its line ending. Valid until the next one is read. */
export interface RawRow {
  /** The line on which the row begins, from 1. */
  readonly line: number;
  /** Line feeds in the row. */
  readonly lines: number;
  /** The row; only its beginning if it is too long. */
  readonly bytes: Uint8Array;
  /** Number of bytes of the row, including bytes that are not kept. */
  readonly length: number;
  /** Bytes of a byte order mark at its start. */
  readonly markBytes: number;
  /** The last row if it has no line ending. */
  readonly isOpen: boolean;
  /** Whether a CSV row has nothing but separators, or names the separator (`sep=;`). */
  readonly isBlank: boolean;
  /** The state of the CSV parser before the line ending of the row, CR included. */
  readonly state: CsvState;
}

export class RowSplitter {
  readonly #isCsv: boolean;
  readonly #given: number;
  #separator: number;
  #state: CsvState = 'start';
  /** Number of the line on which the row begins. */
  #line = 1;
  /** Line feeds inside of the row. */
  #innerLines = 0;
  /** Whether the row has more than separators. */
  #hasContent = false;
  /** The row so far: what is kept of it, and all its bytes. */
  readonly #begun: Uint8Array;
  #length = 0;
  /** Bytes of the stream, as long as they are too few to see a byte order mark. */
  #first: Uint8Array | undefined = new Uint8Array(0);
  #markBytes = 0;
  #header: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #hasHeader: boolean;

  /**
   * @param bytesMax of a row; of a longer one, little more is kept.
   * @param separator of CSV; by default, the header line names it.
   */
  constructor(isCsv: boolean, bytesMax = rowBytesMax, separator: number = separatorUnknown) {
    this.#isCsv = isCsv;
    this.#given = separator;
    this.#separator = separator;
    this.#begun = new Uint8Array(bytesMax + furtherBytes);
    this.#hasHeader = !isCsv;
  }

  /**
   * The header of CSV: the first row that is not blank, and a line before it that names the
   * separator; empty until it ends.
   */
  get header(): Uint8Array<ArrayBuffer> {
    return this.#hasHeader ? this.#header : new Uint8Array(0);
  }

  /** The separator of CSV, from the header line. */
  get separator(): number {
    return this.#separator;
  }

  /** The rows that these bytes complete; take all before the next call. */
  *split(bytes: Uint8Array): Generator<RawRow> {
    let rest = bytes;
    if (this.#first !== undefined) {
      rest = this.#first.length === 0 ? bytes : join(this.#first, bytes);
      const begun = rest;
      const isMark = byteOrderMark.slice(0, begun.length).every((byte, at) => begun[at] === byte);
      // Only what may become a mark waits: a short row is read at once.
      if (isMark && begun.length < byteOrderMark.length) {
        this.#first = begun.slice();
        return;
      }
      if (isMark) this.#markBytes = byteOrderMark.length;
    }
    this.#first = undefined;
    for (let start = 0; ;) {
      const end = this.#findEnd(rest, this.#length === 0 ? start + this.#markBytes : start);
      if (end === -1) {
        this.#keep(rest.subarray(start));
        return;
      }
      yield this.#endRow(rest.subarray(start, end + 1), false);
      start = end + 1;
    }
  }

  /** The last row, if the bytes did not end with a line ending. */
  *end(): Generator<RawRow> {
    if (this.#first !== undefined) {
      const few = this.#first;
      this.#first = undefined;
      yield* this.split(few);
    }
    if (this.#length > 0) yield this.#endRow(new Uint8Array(0), true);
  }

  /** Where the line feed is that ends the row; -1 if it is not in these bytes. */
  #findEnd(bytes: Uint8Array, from: number): number {
    if (!this.#isCsv) return bytes.indexOf(lineFeed, from);
    let state = this.#state;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      // All special characters have lower codes: this skips most bytes.
      if (byte > semicolon && (state === 'plain' || state === 'quoted' || state === 'malformed')) continue;
      if (byte === lineFeed) {
        if (state !== 'quoted') {
          this.#state = state;
          return at;
        }
        this.#innerLines++;
        continue;
      }
      state = nextCsvState(state, byte, this.#separator);
      if (state === 'start') this.#separator = byte;
      else if (state !== 'return') this.#hasContent = true;
    }
    this.#state = state;
    return -1;
  }

  /** Drops what has no room: the row is too long then. */
  #keep(bytes: Uint8Array): void {
    const room = this.#begun.length - this.#length;
    if (room > 0) this.#begun.set(bytes.subarray(0, room), this.#length);
    this.#length += bytes.length;
  }

  #endRow(rest: Uint8Array, isOpen: boolean): RawRow {
    let bytes = rest;
    let { length } = rest;
    if (this.#length > 0) {
      this.#keep(rest);
      length = this.#length;
      bytes = this.#begun;
    }
    bytes = bytes.subarray(0, Math.min(length, this.#begun.length));
    const isBlank = this.#isCsv && (!this.#hasContent || (!this.#hasHeader && this.#takeSeparator(bytes)));
    const lines = this.#innerLines + (isOpen ? 0 : 1);
    const { line, markBytes } = { line: this.#line, markBytes: this.#markBytes };
    if (!this.#hasHeader) this.#takeHeader(bytes, isBlank);
    const row = { line, lines, bytes, length, markBytes, isOpen, isBlank, state: this.#state };
    this.#line += lines;
    this.#state = 'start';
    this.#innerLines = 0;
    this.#hasContent = false;
    this.#length = 0;
    this.#markBytes = 0;
    return row;
  }

  /** Whether it is a first line for Excel, such as `sep=;`, perhaps in quotes; notes what it names. */
  #takeSeparator(bytes: Uint8Array): boolean {
    if (bytes.length >= 16) return false;
    const [, , named] = /^\uFEFF?("?)sep=([,;\t])\1\r?\n?$/i.exec(decodeLossy(bytes)) ?? [];
    if (named !== undefined) this.#separator = named.charCodeAt(0);
    return named !== undefined;
  }

  #takeHeader(bytes: Uint8Array, isBlank: boolean): void {
    if (!this.#hasContent) {
      this.#separator = this.#given;
      return;
    }
    this.#header = join(this.#header, bytes);
    this.#hasHeader = !isBlank;
    if (this.#separator === separatorUnknown) this.#separator = separatorDefault;
  }
}
