/** What the readers of an import's rows have in common. The forms themselves are ndjson-read.ts and csv-read.ts. */
import type { ServiceError } from '../../domain/errors.ts';

/** Longest row, in bytes without its line ending: as long as a body of one plant may be. */
export const rowBytesMax = 65_536;

/** One row: what it holds, or why it cannot be read. */
export type Row<Content> =
  { readonly line: number; readonly content: Content } | { readonly line: number; readonly fault: ServiceError };

/** Bytes in, in pieces of any size; rows out. Keeps one unfinished row of bounded length, and nothing else. */
export interface RowReader<Content> {
  /** The rows that are whole with these bytes, read as they are taken; take them all before the next call. */
  read(bytes: Buffer): Iterable<Row<Content>>;
  /** The last row, if the bytes did not end with a line ending. */
  end(): Iterable<Row<Content>>;
}

export function isLongerThanRow(text: string): boolean {
  // A UTF-16 unit is at most three bytes, so most texts need not be measured.
  return text.length * 3 > rowBytesMax && Buffer.byteLength(text) > rowBytesMax;
}
