/** Finds where rows end in a stream of bytes, NDJSON or CSV, by the rules of the readers. Does not look at their content. */
import { type CsvState, lineFeed, nextCsvState, semicolon, separatorDefault, separatorUnknown } from './csv-grammar.ts';

/** The UTF-8 bytes of U+FEFF, which readers drop at the start of CSV. */
const byteOrderMark = [0xef, 0xbb, 0xbf] as const;

/** Where in CSV a scan begins or stands: perhaps in the middle of a row. */
export interface CsvPosition {
  readonly state: CsvState;
  readonly separator: number;
}

export class RowScanner {
  /** Bytes so far. */
  bytes = 0;
  /** Line feeds so far, also those inside quoted fields. */
  lines = 0;
  /** Rows that have ended, blank ones and the header line included; bytes and line feeds up to the end of the last. */
  rows = 0;
  rowsEnd = 0;
  rowsLines = 0;
  /** Bytes and line feeds up to the end of the first row; 0 until it ends. */
  firstEnd = 0;
  firstLines = 0;
  /** The same for the first row that is not blank, the header line. */
  headerEnd = 0;
  headerLines = 0;
  readonly #isCsv: boolean;
  #state: CsvState;
  #separator: number;
  /** Bytes so far of the mark, which may arrive in parts. */
  #markBytes = 0;

  constructor(isCsv: boolean, { state, separator }: CsvPosition = { state: 'start', separator: separatorUnknown }) {
    this.#isCsv = isCsv;
    this.#state = state;
    this.#separator = separator;
  }

  get position(): CsvPosition {
    return { state: this.#state, separator: this.#separator };
  }

  /** Takes the next bytes. */
  scan(bytes: Uint8Array): void {
    if (this.#isCsv) this.#scanCsv(bytes);
    else for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) this.#endRow(at);
    this.bytes += bytes.length;
  }

  #scanCsv(bytes: Uint8Array): void {
    const start = this.#skipMark(bytes);
    let state = this.#state;
    let separator = this.#separator;
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      // All special characters have lower codes: this skips most bytes.
      if (byte > semicolon && (state === 'plain' || state === 'quoted' || state === 'malformed')) continue;
      const before = state;
      state = nextCsvState(before, byte, separator);
      if (byte === lineFeed) {
        if (before === 'quoted') this.lines++;
        else {
          const emptyBytes = (before === 'return' ? 1 : 0) + (this.rows === 0 ? this.#markBytes : 0);
          const isBlank = this.bytes + at - this.rowsEnd === emptyBytes;
          this.#endRow(at);
          if (isBlank) continue;
          if (this.headerEnd === 0) [this.headerEnd, this.headerLines] = [this.rowsEnd, this.rowsLines];
          if (separator === separatorUnknown) separator = separatorDefault;
        }
      } else if (state === 'start') separator = byte;
    }
    this.#state = state;
    this.#separator = separator;
  }

  /** Returns where the text begins. */
  #skipMark(bytes: Uint8Array): number {
    if (this.#separator !== separatorUnknown) return 0;
    let at = 0;
    while (at < bytes.length && this.#markBytes === this.bytes + at && bytes[at] === byteOrderMark[this.#markBytes]) {
      this.#markBytes++;
      at++;
    }
    const isOther = at < bytes.length && this.#markBytes === this.bytes + at && this.#markBytes < byteOrderMark.length;
    if (isOther && this.#markBytes > 0) {
      // Another character begins with the same bytes.
      this.#markBytes = 0;
      this.#state = 'plain';
    }
    return at;
  }

  #endRow(at: number): void {
    this.lines++;
    this.rows++;
    this.rowsLines = this.lines;
    this.rowsEnd = this.bytes + at + 1;
    if (this.rows > 1) return;
    this.firstEnd = this.rowsEnd;
    this.firstLines = this.rowsLines;
  }
}
