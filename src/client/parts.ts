/**
 * Cuts a stream of rows into parts that are imports of their own, so that a lost connection costs one part and memory is bounded by two.
 * Sending them is not done here.
 */
import { RowScanner } from './row-scanner.ts';

export type ImportSource = string | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export interface Part {
  /** Whole rows; of CSV below the header line. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Bytes of the source up to the end of this part. */
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
 * A row without end is cut off: the service refuses it in any case. What follows it, from the next line on, is sent.
 */
export async function* cutIntoParts(
  source: ImportSource,
  { isCsv, partBytes }: { readonly isCsv: boolean; readonly partBytes: number },
): AsyncGenerator<Part, void, undefined> {
  const cutter = new Cutter(isCsv);
  let isFirst = true;
  for await (const chunk of toChunks(source)) {
    const pieceBytes = Math.min(partBytes, pieceLength);
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      cutter.add(chunk.subarray(at, at + pieceBytes));
      for (let end = cutter.findEnd(partBytes); end > 0; end = cutter.findEnd(partBytes)) {
        yield cutter.take(end);
        isFirst = false;
      }
    }
  }
  if (cutter.length > 0 || isFirst) yield cutter.take(cutter.length);
}

/** What has come and is not yet part of a part. */
class Cutter {
  readonly #isCsv: boolean;
  #bytes = new Uint8Array(1 << 20);
  #length = 0;
  #scanner: RowScanner;
  /** Of CSV, once it is known. */
  #header: Uint8Array | undefined;
  #headerLines = 0;
  #sourceBytes = 0;
  #linesBefore = 0;
  /** True behind a row that was cut off: nothing counts until its line ends. */
  #isSkipping = false;

  constructor(isCsv: boolean) {
    this.#isCsv = isCsv;
    this.#scanner = new RowScanner(isCsv);
  }

  get length(): number {
    return this.#length;
  }

  /** Where to cut now; 0: nowhere yet. When a row does not end, the end of a line has to do: half of a row could be taken for a whole one. */
  findEnd(partBytes: number): number {
    const { end, lineEnd } = this.#scanner;
    if (this.#length - end > openRowBytesMax) return lineEnd > 0 ? lineEnd : this.#length;
    return this.#length >= partBytes ? end : 0;
  }

  add(chunk: Uint8Array): void {
    let bytes = chunk;
    if (this.#isSkipping) {
      const at = bytes.indexOf(0x0a);
      const skipped = at === -1 ? bytes.length : at + 1;
      this.#sourceBytes += skipped;
      bytes = bytes.subarray(skipped);
      if (at === -1) return;
      this.#linesBefore++;
      this.#isSkipping = false;
    }
    const length = this.#length + bytes.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = length;
    this.#scanner.scan(bytes);
  }

  /** Everything up to `end`, which is an end that was found or the end of the source. */
  take(end: number): Part {
    const scanner = this.#scanner;
    const rows = this.#bytes.subarray(0, end);
    const header = this.#header;
    this.#sourceBytes += end;
    const part = {
      body: header === undefined ? rows.slice() : join(header, rows),
      sourceBytes: this.#sourceBytes,
      lineOffset: this.#linesBefore - this.#headerLines,
    };
    if (this.#isCsv && header === undefined && scanner.firstEnd > 0) {
      this.#header = rows.slice(0, scanner.firstEnd);
      this.#headerLines = scanner.firstLines;
    }
    this.#linesBefore += end === scanner.end ? scanner.lines : end === scanner.lineEnd ? scanner.linesSeen : 0;
    this.#isSkipping = end > scanner.lineEnd;
    this.#bytes.copyWithin(0, end, this.#length);
    this.#length -= end;
    this.#scanner = new RowScanner(this.#isCsv);
    this.#scanner.scan(this.#bytes.subarray(0, this.#length));
    return part;
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
