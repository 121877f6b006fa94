/** Reads bytes of NDJSON into numbered lines: LF or CRLF, without blank ones and a byte order mark. Parses none. */
import { type Row, RowDecoder, rowBytesMax, type RowError, type RowReader } from './row-reader.ts';
import { type RawRow, RowSplitter } from './row-splitter.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

type Line = Row<string, RowError>;

export class NdjsonReader implements RowReader<string> {
  readonly #splitter = new RowSplitter(false);
  readonly #decoder = new RowDecoder();

  *read(bytes: Uint8Array): Generator<Line> {
    this.#decoder.take(bytes);
    for (const raw of this.#splitter.split(bytes)) {
      const row = this.#toRow(raw);
      if (row !== undefined) yield row;
    }
  }

  *end(): Generator<Line> {
    for (const raw of this.#splitter.end()) {
      const row = this.#toRow(raw);
      if (row !== undefined) yield row;
    }
  }

  #toRow({ line, bytes, markBytes }: RawRow): Line | undefined {
    let { length } = bytes;
    if (bytes[length - 1] === lineFeed) length -= 1;
    if (bytes[length - 1] === carriageReturn) length -= 1;
    if (length - markBytes > rowBytesMax) return { line, error: { code: 'row_too_long' } };
    const content = this.#decoder.decode(bytes.subarray(markBytes, length));
    if (content === undefined) return { line, error: { code: 'body_not_utf8' } };
    return /[^ \t]/.test(content) ? { line, content } : undefined;
  }
}
