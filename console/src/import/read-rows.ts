/** Rows of a file by the lines they begin on, as they stand there: to show refused rows, and to save them for fixing. */
import type { RowFormat } from '../../../src/client/client.ts';
import { type RawRow, RowSplitter } from '../../../src/rows/row-splitter.ts';
import { readChunks } from './read-chunks.ts';

export interface FileRow {
  /** With its line breaks, without the one that ends it. */
  readonly text: string;
  /** Last line of the row: a quoted field may contain line breaks, and an unclosed quote swallows lines. */
  readonly lastLine: number;
}

const lineFeed = 0x0a;

/** The rows that begin on these lines, the first line being 1. Reads no further than needed; of a row too long, its beginning. */
export async function readRows(
  file: Blob,
  format: RowFormat,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, FileRow>> {
  const wanted = new Set(numbers);
  const last = Math.max(0, ...numbers);
  const rows = new Map<number, FileRow>();
  if (wanted.size === 0) return rows;
  const decoder = new TextDecoder();
  for await (const { line, lines, bytes, isOpen } of splitRows(file, new RowSplitter(format === 'text/csv'))) {
    if (line > last) break;
    if (!wanted.has(line)) continue;
    const text = decoder.decode(bytes).replace(/\r?\n$/, '');
    rows.set(line, { text, lastLine: line + lines - (isOpen && bytes.at(-1) !== lineFeed ? 0 : 1) });
  }
  return rows;
}

/** These rows as a file that can be imported. */
export async function toRowsFile(file: Blob, format: RowFormat, rows: ReadonlyMap<number, FileRow>): Promise<Blob> {
  const texts = [...rows.values()].map(({ text }) => text);
  if (format === 'text/csv') texts.unshift(new TextDecoder().decode(await readHeader(file)).trimEnd());
  return new Blob([texts.map((text) => `${text}\n`).join('')], { type: format });
}

/** The header line of CSV, which every part of the file needs, and one before it that names the separator. */
export async function readHeader(file: Blob): Promise<Uint8Array<ArrayBuffer>> {
  const splitter = new RowSplitter(true);
  for await (const { isBlank } of splitRows(file, splitter)) if (!isBlank) break;
  return splitter.header;
}

async function* splitRows(file: Blob, splitter: RowSplitter): AsyncGenerator<RawRow, void, undefined> {
  for await (const chunk of readChunks(file)) yield* chunk === undefined ? splitter.end() : splitter.split(chunk);
}
