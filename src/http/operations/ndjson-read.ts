/** Bytes of NDJSON into lines with their numbers: ended by LF or CRLF, blank ones skipped. What a line holds is not parsed here. */
import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../../domain/errors.ts';
import { isLongerThanRow, type Row, rowBytesMax, type RowReader } from './row-reader.ts';

const lineFeed = 0x0a;

export class NdjsonReader implements RowReader<string> {
  /** Of the line that comes next. */
  #line = 1;
  /** The beginning of a line whose end has not come; one byte more than a line may have, and its CR. */
  readonly #begun = Buffer.allocUnsafe(rowBytesMax + 2);
  #begunBytes = 0;

  *read(bytes: Buffer): Generator<Row<string>> {
    const firstEnd = bytes.indexOf(lineFeed);
    if (firstEnd === -1) {
      this.#begin(bytes);
      return;
    }
    this.#begin(bytes.subarray(0, firstEnd));
    yield* this.end();
    const lastEnd = bytes.lastIndexOf(lineFeed);
    const block = bytes.subarray(firstEnd + 1, lastEnd + 1);
    // Decoded in one go unless there is a fault in it, which then has to be found.
    if (isUtf8(block)) yield* this.#readText(block.toString());
    else yield* this.#readBytes(block);
    this.#begin(bytes.subarray(lastEnd + 1));
  }

  *end(): Generator<Row<string>> {
    const bytes = this.#begun.subarray(0, this.#begunBytes);
    this.#begunBytes = 0;
    yield* isUtf8(bytes) ? this.#toRow(bytes.toString()) : [this.#toFault(bytes)];
  }

  /** What does not fit is dropped: the line is too long then. */
  #begin(bytes: Buffer): void {
    this.#begunBytes += bytes.copy(this.#begun, this.#begunBytes);
  }

  *#readText(text: string): Generator<Row<string>> {
    for (let start = 0; start < text.length;) {
      const end = text.indexOf('\n', start);
      yield* this.#toRow(text.slice(start, end));
      start = end + 1;
    }
  }

  *#readBytes(bytes: Buffer): Generator<Row<string>> {
    for (let start = 0; start < bytes.length;) {
      const end = bytes.indexOf(lineFeed, start);
      const line = bytes.subarray(start, end);
      yield* isUtf8(line) ? this.#toRow(line.toString()) : [this.#toFault(line)];
      start = end + 1;
    }
  }

  #toRow(text: string): readonly Row<string>[] {
    const line = this.#line++;
    const content = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (isLongerThanRow(content)) return [{ line, fault: new ServiceError('row_too_long') }];
    return /[^ \t]/.test(content) ? [{ line, content }] : [];
  }

  /** A long line may have been cut within a character, so that its length comes first. */
  #toFault(bytes: Buffer): Row<string> {
    const isTooLong = bytes.length > rowBytesMax + (bytes.at(-1) === 0x0d ? 1 : 0);
    return { line: this.#line++, fault: new ServiceError(isTooLong ? 'row_too_long' : 'body_not_utf8') };
  }
}
