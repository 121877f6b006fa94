/**
 * Finds where rows end in a stream of bytes, NDJSON or CSV, by the same rules as the service reads them: a faulty row of CSV ends with its line.
 * What a row says is not looked at.
 */

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;
const comma = 0x2c;
/** The UTF-8 bytes of U+FEFF, which the service drops at the start of CSV. */
const byteOrderMark = [0xef, 0xbb, 0xbf] as const;

/**
 * Where in a row of CSV the next byte stands (RFC 4180, section 2): before a field, in one without quotes, between quotes, behind a quote that
 * closes its field or is half of a doubled one, behind a CR, or behind a fault.
 */
export type Place = 'start' | 'plain' | 'quoted' | 'quote' | 'return' | 'fault';

export class RowScanner {
  /** Bytes so far. */
  bytes = 0;
  /** Line feeds so far, those inside of quoted fields too. */
  lines = 0;
  /** Rows that have ended, blank ones and a header line too; and the bytes and line feeds up to the end of the last. */
  rows = 0;
  rowsEnd = 0;
  rowsLines = 0;
  /** Bytes and line feeds up to the end of the first row; 0 while it has not ended. */
  firstEnd = 0;
  firstLines = 0;
  /** The same of the first row that is not blank: the header line, and what stands before it. */
  headerEnd = 0;
  headerLines = 0;
  readonly #isCsv: boolean;
  #place: Place;

  /** @param place where the scan begins: in the middle of a row perhaps. */
  constructor(isCsv: boolean, place: Place = 'start') {
    this.#isCsv = isCsv;
    this.#place = place;
  }

  get place(): Place {
    return this.#place;
  }

  /** Takes the next bytes. */
  scan(bytes: Uint8Array): void {
    if (this.#isCsv) this.#scanCsv(bytes);
    else for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) this.#endRow(at);
    this.bytes += bytes.length;
  }

  #scanCsv(bytes: Uint8Array): void {
    let place = this.#place;
    const isMarked = this.bytes === 0 && place === 'start' && byteOrderMark.every((byte, at) => bytes[at] === byte);
    for (let at = isMarked ? byteOrderMark.length : 0; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === lineFeed) {
        if (place === 'quoted') this.lines++;
        else {
          const emptyBytes = (place === 'return' ? 1 : 0) + (isMarked && this.rows === 0 ? byteOrderMark.length : 0);
          const isBlank = this.bytes + at - this.rowsEnd === emptyBytes;
          this.#endRow(at);
          if (this.headerEnd === 0 && !isBlank) [this.headerEnd, this.headerLines] = [this.rowsEnd, this.rowsLines];
          place = 'start';
        }
      } else if (place === 'quoted') {
        if (byte === quote) place = 'quote';
      } else if (place !== 'fault') {
        place = findPlace(place, byte);
      }
    }
    this.#place = place;
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

/** The place behind a byte that is no line feed and not between quotes. */
function findPlace(place: Exclude<Place, 'quoted' | 'fault'>, byte: number | undefined): Place {
  if (place === 'return') return 'fault';
  if (byte === comma) return 'start';
  if (byte === carriageReturn) return 'return';
  if (byte === quote) return place === 'plain' ? 'fault' : 'quoted';
  return place === 'quote' ? 'fault' : 'plain';
}
