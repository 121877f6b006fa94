/** Finds where rows end in a stream of bytes, NDJSON or CSV. What a row says, and whether it is right, is left to the service. */

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;
const comma = 0x2c;

/** Where in a row of CSV the next byte stands (RFC 4180, section 2). `behindQuote`: a quote that ends the field, or is half of a pair. */
type Place = 'fieldStart' | 'plain' | 'quoted' | 'behindQuote';

export class RowScanner {
  /** Bytes up to and with the last line feed that ends a row. */
  end = 0;
  /** Line feeds up to there, those inside of quoted fields too. */
  lines = 0;
  /** Rows that have ended, blank ones and a header line too. */
  rows = 0;
  /** The first two of the first row; 0 while it has not ended. */
  firstEnd = 0;
  firstLines = 0;
  /** Bytes up to and with the last line feed of any kind, and the line feeds up to there. */
  lineEnd = 0;
  linesSeen = 0;
  /** Bytes in all. */
  #scanned = 0;
  #place: Place = 'fieldStart';
  readonly #isCsv: boolean;

  constructor(isCsv: boolean) {
    this.#isCsv = isCsv;
  }

  /** Takes the next bytes. */
  scan(bytes: Uint8Array): void {
    if (this.#isCsv) this.#scanCsv(bytes);
    else this.#scanLines(bytes);
    this.#scanned += bytes.length;
  }

  #scanLines(bytes: Uint8Array): void {
    for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) this.#endRow(at);
  }

  #scanCsv(bytes: Uint8Array): void {
    let place = this.#place;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (place === 'quoted') {
        if (byte === quote) place = 'behindQuote';
        else if (byte === lineFeed) this.#endLine(at);
      } else if (byte === lineFeed) {
        this.#endRow(at);
        place = 'fieldStart';
      } else if (byte === comma) {
        place = 'fieldStart';
      } else if (byte === quote && place !== 'plain') {
        place = 'quoted';
      } else if (byte !== carriageReturn) {
        place = 'plain';
      }
    }
    this.#place = place;
  }

  #endLine(at: number): void {
    this.linesSeen++;
    this.lineEnd = this.#scanned + at + 1;
  }

  #endRow(at: number): void {
    this.#endLine(at);
    this.rows++;
    this.lines = this.linesSeen;
    this.end = this.lineEnd;
    if (this.firstEnd > 0) return;
    this.firstEnd = this.end;
    this.firstLines = this.lines;
  }
}
