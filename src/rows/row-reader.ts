/** What the readers of rows share. The formats are in ndjson-reader.ts and csv-reader.ts. */

/** Longest row in bytes, without its line ending: the longest body of one plant. */
export const rowBytesMax = 65_536;

/** Why a row cannot be read. Codes are those of the service's errors. */
export interface RowError {
  readonly code: 'row_too_long' | 'body_not_utf8' | 'csv_malformed';
  /** A sentence without a full stop. */
  readonly detail?: string;
}

/** One row: its content, or why it cannot be read. */
export type Row<Content, Failure> =
  { readonly line: number; readonly content: Content } | { readonly line: number; readonly error: Failure };

/** Reads bytes in chunks of any size into rows. Stores one unfinished row of bounded length, and nothing else. */
export interface RowReader<Content, Failure = RowError> {
  /** The rows that these bytes complete, read on demand; take all before the next call. */
  read(bytes: Uint8Array): Iterable<Row<Content, Failure>>;
  /** The last row, if the bytes did not end with a line ending. */
  end(): Iterable<Row<Content, Failure>>;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lossyDecoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The text of the bytes; undefined if they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
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

/** Bytes of a well-formed text as UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Each half of a surrogate pair counts as two of the four bytes.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

export function isLongerThanRow(text: string): boolean {
  // A UTF-16 unit is at most three bytes, so most texts need no measuring.
  return text.length * 3 > rowBytesMax && utf8Length(text) > rowBytesMax;
}
