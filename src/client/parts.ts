/**
 * Cuts a stream of rows into parts that are imports of their own: a lost connection costs one part, and memory is bounded by two.
 * Does not send them.
 */
import { join } from '../rows/row-reader.ts';
import { type CsvPosition, RowScanner } from '../rows/row-scanner.ts';
import { readStream } from './read-stream.ts';

export type ImportSource = string | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export interface Part {
  /** Complete rows; of CSV after the header line. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Bytes of the source up to the end of this part, with what is dropped after it: there the next row begins. */
  readonly sourceBytes: number;
  /** How many of those were dropped. */
  readonly droppedBytes: number;
  /** Added to a line number of the body it gives the line number of the source. */
  readonly lineOffset: number;
}

/** Longest unfinished row, in bytes: twice the service's row limit. */
const openRowBytesMax = 131_072;

/** Bytes, or UTF-16 units of a text, scanned at once: parts exceed `partBytes` by at most this. */
const pieceLength = 65_536;

/**
 * Parts of about `partBytes`, cut where rows end. There is always one, perhaps empty: the service decides about empty imports.
 *
 * Of a row that is far too long only the beginning is sent, which is enough for the service to refuse it.
 */
export async function* cutIntoParts(
  source: ImportSource,
  { isCsv, partBytes }: { readonly isCsv: boolean; readonly partBytes: number },
): AsyncGenerator<Part, void, undefined> {
  const cutter = new Cutter(isCsv);
  const pieceBytes = Math.min(partBytes, pieceLength);
  /** Ends within a long row: waits for the end of that row. */
  let open: Part | undefined;
  let isFirst = true;
  for await (const chunk of toChunks(source)) {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      cutter.add(chunk.subarray(at, at + pieceBytes));
      if (cutter.isDropping) continue;
      if (open !== undefined) yield endAt(open, cutter.bytesBefore);
      open = cutter.isOpenTooLong ? cutter.takeOpen() : undefined;
      const part = open === undefined && cutter.length >= partBytes ? cutter.takeRows() : undefined;
      if (open !== undefined || part !== undefined) isFirst = false;
      if (part !== undefined) yield part;
    }
  }
  if (open !== undefined) yield endAt(open, cutter.bytesBefore);
  if (cutter.length > 0 || isFirst) yield cutter.takeOpen();
}

/** What comes up to there was dropped. */
function endAt(part: Part, sourceBytes: number): Part {
  return { ...part, sourceBytes, droppedBytes: sourceBytes - part.sourceBytes };
}

/** The same rows in parts of about `partBytes`; the part itself if it is no larger. */
export async function divide(
  part: Part,
  { isCsv, partBytes }: { readonly isCsv: boolean; readonly partBytes: number },
): Promise<readonly Part[]> {
  const { length } = part.body;
  if (length <= partBytes + pieceLength) return [part];
  const before = part.sourceBytes - part.droppedBytes - length;
  const pieces: Part[] = [];
  for await (const piece of cutIntoParts(new Blob([part.body]), { isCsv, partBytes })) {
    const inPart = {
      ...piece,
      sourceBytes: before + piece.sourceBytes,
      lineOffset: part.lineOffset + piece.lineOffset,
    };
    pieces.push(piece.sourceBytes < length ? inPart : endAt(inPart, part.sourceBytes));
  }
  return pieces;
}

/** Bytes that are not in a part yet. */
class Cutter {
  readonly #isCsv: boolean;
  #bytes = new Uint8Array(1 << 20);
  #length = 0;
  #scanner: RowScanner;
  /** True while the rest of a long row is dropped. */
  #isDropping = false;
  /** The first row of CSV that is not blank, and what precedes it, once it is known. */
  #header: Uint8Array | undefined;
  #headerLines = 0;
  /** Of the source, before the buffered bytes. */
  #bytesBefore = 0;
  #linesBefore = 0;

  constructor(isCsv: boolean) {
    this.#isCsv = isCsv;
    this.#scanner = new RowScanner(isCsv);
  }

  get length(): number {
    return this.#length;
  }

  get isDropping(): boolean {
    return this.#isDropping;
  }

  /** Of the source, before what waits for the next part. */
  get bytesBefore(): number {
    return this.#bytesBefore + (this.#isDropping ? this.#scanner.bytes : 0);
  }

  get isOpenTooLong(): boolean {
    return this.#length - this.#scanner.rowsEnd > openRowBytesMax;
  }

  add(piece: Uint8Array): void {
    const before = this.#scanner.bytes;
    this.#scanner.scan(piece);
    if (!this.#isDropping) {
      this.#append(piece);
      return;
    }
    const { firstEnd, firstLines } = this.#scanner;
    if (firstEnd === 0) return;
    this.#isDropping = false;
    this.#bytesBefore += firstEnd;
    this.#linesBefore += firstLines;
    const { separator } = this.#scanner.position;
    this.#scanner = new RowScanner(this.#isCsv, { state: 'start', separator });
    this.add(piece.subarray(firstEnd - before));
  }

  /** The rows that have ended; undefined when there are none. Blank lines before the header line are dropped: alone they are no import. */
  takeRows(): Part | undefined {
    const { rowsEnd, rowsLines } = this.#scanner;
    const { separator } = this.#scanner.position;
    if (rowsEnd === 0) return undefined;
    const part = this.#take(rowsEnd, rowsLines, { state: 'start', separator });
    return this.#isCsv && this.#header === undefined ? undefined : part;
  }

  /** Everything. The rest of an unfinished row will be dropped. */
  takeOpen(): Part {
    const { lines, position } = this.#scanner;
    const part = this.#take(this.#length, lines, position);
    this.#isDropping = true;
    return part;
  }

  #take(end: number, lines: number, position: CsvPosition): Part {
    const { headerEnd, headerLines } = this.#scanner;
    const rows = this.#bytes.subarray(0, end);
    const part = {
      body: this.#header === undefined ? rows.slice() : join(this.#header, rows),
      sourceBytes: this.#bytesBefore + end,
      droppedBytes: 0,
      lineOffset: this.#linesBefore - this.#headerLines,
    };
    if (this.#isCsv && this.#header === undefined && headerEnd > 0) {
      this.#header = rows.slice(0, headerEnd);
      this.#headerLines = headerLines;
    }
    this.#bytesBefore += end;
    this.#linesBefore += lines;
    this.#bytes.copyWithin(0, end, this.#length);
    this.#length -= end;
    this.#scanner = new RowScanner(this.#isCsv, position);
    this.#scanner.scan(this.#bytes.subarray(0, this.#length));
    return part;
  }

  #append(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }
}

async function* toChunks(source: ImportSource): AsyncGenerator<Uint8Array, void, undefined> {
  if (typeof source === 'string') {
    if (!source.isWellFormed()) throw new TypeError('Cannot import: the text holds half of a surrogate pair');
    yield* toTextChunks(source);
  } else if (source instanceof Blob) {
    yield* readStream(source.stream());
  } else if ('getReader' in source) {
    yield* readStream(source);
  } else {
    yield* source;
  }
}

function* toTextChunks(text: string): Generator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  for (let start = 0; start < text.length;) {
    let end = start + pieceLength;
    // Not between the halves of a surrogate pair.
    if (/^[\udc00-\udfff]/.test(text.charAt(end))) end++;
    yield encoder.encode(text.slice(start, end));
    start = end;
  }
}
