/**
 * Rows of files, for apps that show, check or change what they import; published as
 * `plant-store/client/rows`. Sends nothing but what `compareRows` asks.
 */
import { type CsvField, parseCsvRow } from '../rows/csv-reader.ts';
import { decodeLossy } from '../rows/row-reader.ts';
import type { RawRow, RowSplitter } from '../rows/row-splitter.ts';
import { readStream } from './read-stream.ts';

export type { CsvField } from '../rows/csv-reader.ts';
export { type RawRow, RowSplitter } from '../rows/row-splitter.ts';
export { compareRows } from './compare-rows.ts';
export type { CheckedFile, Comparison, ComparisonOptions, Conflict } from './compare-rows.ts';
export { type PlantRow, readPlantRows } from './plant-rows.ts';

/** The rows as they stand in the bytes. Each is valid until the next one is read. */
export async function* splitRows(
  bytes: ReadableStream<Uint8Array>,
  splitter: RowSplitter,
): AsyncGenerator<RawRow, void, undefined> {
  for await (const chunk of readStream(bytes)) yield* splitter.split(chunk);
  yield* splitter.end();
}

/**
 * The cells of a row of CSV that is not blank, with U+FFFD for bytes that are not UTF-8; an empty
 * cell without quotes is undefined. Returns undefined if the row is malformed or too long.
 * @param splitter that has read the row.
 */
export function toCells(row: RawRow, { separator }: RowSplitter): readonly CsvField[] | undefined {
  const parsed = parseCsvRow(row, separator, { decode: decodeLossy });
  return 'content' in parsed ? parsed.content : undefined;
}
