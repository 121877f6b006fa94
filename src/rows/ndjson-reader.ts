/** Reads bytes of NDJSON into lines with their numbers: LF or CRLF, blank lines skipped. Does not parse the lines. */
import { decodeUtf8, isLongerThanRow, type Row, rowBytesMax, type RowError, type RowReader } from './row-reader.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

type Line = Row<string, RowError>;

export class NdjsonReader implements RowReader<string> {
  /** Number of the next line. */
  #line = 1;
  /** Start of an unfinished line: one byte more than a line may have, and its CR. */
  readonly #begun = new Uint8Array(rowBytesMax + 2);
  #begunBytes = 0;

  *read(bytes: Uint8Array): Generator<Line> {
    const firstEnd = bytes.indexOf(lineFeed);
    if (firstEnd === -1) {
      this.#begin(bytes);
      return;
    }
    this.#begin(bytes.subarray(0, firstEnd));
    yield* this.end();
    const lastEnd = bytes.lastIndexOf(lineFeed);
    const block = bytes.subarray(firstEnd + 1, lastEnd + 1);
    // Decoded at once, unless it has an error, which then has to be found.
    const text = decodeUtf8(block);
    if (text === undefined) yield* this.#readBytes(block);
    else yield* this.#readText(text);
    this.#begin(bytes.subarray(lastEnd + 1));
  }

  *end(): Generator<Line> {
    const bytes = this.#begun.subarray(0, this.#begunBytes);
    this.#begunBytes = 0;
    yield* this.#toRow(bytes);
  }

  /** Drops what has no room: the line is too long then. */
  #begin(bytes: Uint8Array): void {
    const taken = bytes.subarray(0, this.#begun.length - this.#begunBytes);
    this.#begun.set(taken, this.#begunBytes);
    this.#begunBytes += taken.length;
  }

  *#readText(text: string): Generator<Line> {
    for (let start = 0; start < text.length;) {
      const end = text.indexOf('\n', start);
      yield* this.#toTextRow(text.slice(start, end));
      start = end + 1;
    }
  }

  *#readBytes(bytes: Uint8Array): Generator<Line> {
    for (let start = 0; start < bytes.length;) {
      const end = bytes.indexOf(lineFeed, start);
      yield* this.#toRow(bytes.subarray(start, end));
      start = end + 1;
    }
  }

  #toRow(bytes: Uint8Array): readonly Line[] {
    const text = decodeUtf8(bytes);
    if (text !== undefined) return this.#toTextRow(text);
    // A long line may be cut inside a character, so its length is checked first.
    const isTooLong = bytes.length > rowBytesMax + (bytes.at(-1) === carriageReturn ? 1 : 0);
    return [{ line: this.#line++, error: { code: isTooLong ? 'row_too_long' : 'body_not_utf8' } }];
  }

  #toTextRow(text: string): readonly Line[] {
    const line = this.#line++;
    const content = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (isLongerThanRow(content)) return [{ line, error: { code: 'row_too_long' } }];
    return /[^ \t]/.test(content) ? [{ line, content }] : [];
  }
}
