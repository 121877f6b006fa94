/** Cuts a stream of rows into imports of their own: a lost connection costs one part. */
import { type RawRow, RowSplitter } from '../rows/row-splitter.ts';
import { readStream } from './read-stream.ts';

export type ImportSource = string | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export interface Part {
  /** Complete rows; of CSV after the header line. Of a row that is too long, only its beginning. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Bytes of the source up to the end of this part. */
  readonly sourceBytes: number;
  /** Added to a line number of the body it gives the line number of the source. */
  readonly lineOffset: number;
}

/** Bytes that the first part has room for; it grows. */
const bodyBytes = 65_536;

/**
 * Parts of at most `partBytes`, cut where rows end; longer only if one row is. There is always
 * one, perhaps empty: the service decides about empty imports.
 */
export async function* cutIntoParts(
  source: ImportSource,
  { isCsv, partBytes }: { readonly isCsv: boolean; readonly partBytes: number },
): AsyncGenerator<Part, void, undefined> {
  const splitter = new RowSplitter(isCsv);
  const cutter = new Cutter(splitter, isCsv, partBytes);
  for await (const chunk of toChunks(source)) {
    // Of a program without types.
    if (!ArrayBuffer.isView(chunk))
      throw new TypeError('Cannot import: the source must be a text, a Blob, or a stream of Uint8Array');
    yield* cutter.add(splitter.split(chunk));
  }
  yield* cutter.add(splitter.end());
  yield* cutter.end();
}

class Cutter {
  readonly #splitter: RowSplitter;
  readonly #isCsv: boolean;
  readonly #partBytes: number;
  #body = new Uint8Array(bodyBytes);
  #length = 0;
  /** Rows in the part, without the header line that is put before them. */
  #rows = 0;
  /** Of CSV, once its row is in a part: later ones begin with it. */
  #header: Uint8Array | undefined;
  #lineOffset = 0;
  #sourceBytes = 0;
  #isFirst = true;

  constructor(splitter: RowSplitter, isCsv: boolean, partBytes: number) {
    this.#splitter = splitter;
    this.#isCsv = isCsv;
    this.#partBytes = partBytes;
  }

  *add(rows: Iterable<RawRow>): Generator<Part> {
    for (const row of rows) {
      if (this.#rows > 0 && this.#length + row.bytes.length > this.#partBytes) yield* this.#take();
      this.#append(row);
      // After a row whose end is dropped, the next one would continue it.
      if (this.#length >= this.#partBytes || row.bytes.length < row.length) yield* this.#take();
    }
  }

  *end(): Generator<Part> {
    if (this.#rows > 0 || this.#isFirst) yield this.#toPart();
  }

  #append(row: RawRow): void {
    if (this.#rows === 0) {
      const header = this.#header ?? new Uint8Array(0);
      this.#put(header);
      const headerLines = header.reduce((count, byte) => count + (byte === 0x0a ? 1 : 0), 0);
      this.#lineOffset = row.line - 1 - headerLines;
    }
    this.#rows += 1;
    this.#put(row.bytes);
    this.#sourceBytes += row.length;
    if (this.#isCsv && !row.isBlank) this.#header ??= this.#splitter.header;
  }

  /** Blank lines before the header line are dropped: alone they are no import. */
  *#take(): Generator<Part> {
    if (!this.#isCsv || this.#header !== undefined) yield this.#toPart();
    this.#length = 0;
    this.#rows = 0;
  }

  #toPart(): Part {
    this.#isFirst = false;
    const body = this.#body.slice(0, this.#length);
    return { body, sourceBytes: this.#sourceBytes, lineOffset: this.#lineOffset };
  }

  #put(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#body.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.#body.subarray(0, this.#length));
      this.#body = larger;
    }
    this.#body.set(bytes, this.#length);
    this.#length = length;
  }
}

async function* toChunks(source: ImportSource): AsyncGenerator<Uint8Array, void, undefined> {
  if (typeof source === 'string' && !source.isWellFormed())
    throw new TypeError('Cannot import: the text holds half of a surrogate pair');
  const bytes = typeof source === 'string' ? new Blob([source]) : source;
  if (bytes instanceof Blob) yield* readStream(bytes.stream());
  else if ('getReader' in bytes) yield* readStream(bytes);
  else yield* bytes;
}
