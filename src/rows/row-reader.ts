/** What the readers of rows share. The formats are in ndjson-reader.ts and csv-reader.ts. */

/** Longest row in bytes, without its line ending: the longest body of one plant. */
export const rowBytesMax = 65_536;

/** Why a row cannot be read. Codes are error codes of the service. */
export interface RowError {
  readonly code: 'row_too_long' | 'body_not_utf8' | 'csv_malformed';
  /** A sentence without a full stop. */
  readonly detail?: string | undefined;
}

/** One row: its content, or why it cannot be read. */
export type Row<Content, Failure> =
  { readonly line: number; readonly content: Content } | { readonly line: number; readonly error: Failure };

/** Reads bytes in chunks of any size into rows. Stores one unfinished row of bounded length. */
export interface RowReader<Content, Failure = RowError> {
  /** The rows that these bytes complete, read on demand; take all before the next call. */
  read(bytes: Uint8Array): Iterable<Row<Content, Failure>>;
  /** The last row, if the bytes did not end with a line ending. */
  end(): Iterable<Row<Content, Failure>>;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lossyDecoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The text of the bytes; undefined if they are not UTF-8. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Decodes rows of a chunk. One of ASCII is decoded at once: bytes and characters are as many. */
export class RowDecoder {
  #chunk: Uint8Array = new Uint8Array(0);
  #text: string | undefined;

  /** Call it before the rows of the chunk. */
  take(chunk: Uint8Array): void {
    const text = decodeUtf8(chunk);
    this.#chunk = chunk;
    this.#text = text?.length === chunk.length ? text : undefined;
  }

  /** Decodes UTF-8 like `decodeUtf8`. @param bytes may be a view of the chunk. */
  decode(bytes: Uint8Array): string | undefined {
    if (this.#text === undefined || bytes.buffer !== this.#chunk.buffer) return decodeUtf8(bytes);
    const start = bytes.byteOffset - this.#chunk.byteOffset;
    return this.#text.slice(start, start + bytes.length);
  }
}

/** The text of the bytes, with U+FFFD for each error. */
export function decodeLossy(bytes: Uint8Array): string {
  return lossyDecoder.decode(bytes);
}

export function join(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
