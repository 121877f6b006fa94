/**
 * Cuts a stream of rows into parts that are imports of their own, so that a lost connection costs one part and memory is bounded by two.
 * Sending them is not done here.
 */
import { type Place, RowScanner } from './row-scanner.ts';

export type ImportSource = string | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export interface Part {
  /** Whole rows; of CSV below the header line. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Bytes of the source up to the end of this part; what is dropped behind it not yet counted. */
  readonly sourceBytes: number;
  /** What makes a line of the source out of a line of the body. */
  readonly lineOffset: number;
}

/** A row that is still open after so many bytes is twice as long as any that the service takes. */
const openRowBytesMax = 131_072;

/** What is looked at in one go, in bytes, or in UTF-16 units of a text: parts are longer than asked for by at most this. */
const pieceLength = 65_536;

/**
 * Parts of about `partBytes`, cut where rows end. There is always one, be it empty: that an import holds nothing is for the service to judge.
 *
 * Of a row that is far too long only the beginning is sent, which is enough for the service to refuse it.
 */
export async function* cutIntoParts(
  source: ImportSource,
  { isCsv, partBytes }: { readonly isCsv: boolean; readonly partBytes: number },
): AsyncGenerator<Part, void, undefined> {
  const cutter = new Cutter(isCsv);
  const pieceBytes = Math.min(partBytes, pieceLength);
  let isFirst = true;
  for await (const chunk of toChunks(source)) {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      cutter.add(chunk.subarray(at, at + pieceBytes));
      const part = cutter.isOpenTooLong
        ? cutter.takeOpen()
        : cutter.length >= partBytes
          ? cutter.takeRows()
          : undefined;
      if (part === undefined) continue;
      yield part;
      isFirst = false;
    }
  }
  if (cutter.length > 0 || isFirst) yield cutter.takeOpen();
}

/** What has come and is not yet in a part. */
class Cutter {
  readonly #isCsv: boolean;
  #bytes = new Uint8Array(1 << 20);
  #length = 0;
  #scanner: RowScanner;
  /** True while the rest of a row is dropped. */
  #isDropping = false;
  /** The first row of CSV that is not blank, as the service takes it, once it is known; and what stands before it. */
  #header: Uint8Array | undefined;
  #headerLines = 0;
  /** Of the source, before what is held. */
  #bytesBefore = 0;
  #linesBefore = 0;

  constructor(isCsv: boolean) {
    this.#isCsv = isCsv;
    this.#scanner = new RowScanner(isCsv);
  }

  get length(): number {
    return this.#length;
  }

  get isOpenTooLong(): boolean {
    return !this.#isDropping && this.#length - this.#scanner.rowsEnd > openRowBytesMax;
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
    this.#scanner = new RowScanner(this.#isCsv);
    this.add(piece.subarray(firstEnd - before));
  }

  /** The rows that have ended; undefined when there are none. */
  takeRows(): Part | undefined {
    const { rowsEnd, rowsLines } = this.#scanner;
    return rowsEnd === 0 ? undefined : this.#take(rowsEnd, rowsLines, 'start');
  }

  /** Everything. What is still to come of an open row will be dropped. */
  takeOpen(): Part {
    const { lines, place } = this.#scanner;
    const part = this.#take(this.#length, lines, place);
    this.#isDropping = true;
    return part;
  }

  #take(end: number, lines: number, place: Place): Part {
    const { headerEnd, headerLines } = this.#scanner;
    const rows = this.#bytes.subarray(0, end);
    const part = {
      body: this.#header === undefined ? rows.slice() : join(this.#header, rows),
      sourceBytes: this.#bytesBefore + end,
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
    this.#scanner = new RowScanner(this.#isCsv, place);
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

/** By hand, as some browsers do not iterate over streams. Leaving early cancels the stream. */
async function* readStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  let isDone = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isDone = done;
      if (value === undefined) return;
      yield value;
    }
  } finally {
    if (!isDone) await reader.cancel();
  }
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
