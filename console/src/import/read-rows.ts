/** Rows of a file as they stand there: those on some lines, to show them or save them for fixing, and those after what is imported. */
import type { RowFormat } from '../../../src/client/client.ts';
import { RowSplitter, splitRows } from '../../../src/client/rows.ts';
import { quoteCell } from './csv-plan.ts';

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
  for await (const { line, lines, bytes, isOpen } of splitRows(file.stream(), new RowSplitter(format === 'text/csv'))) {
    if (line > last) break;
    if (!wanted.has(line)) continue;
    const text = decoder.decode(bytes).replace(/\r?\n$/, '');
    rows.set(line, { text, lastLine: line + lines - (isOpen && bytes.at(-1) !== lineFeed ? 0 : 1) });
  }
  return rows;
}

/** These rows as a file that can be imported. Of CSV, each has all cells, and in the last column why it is refused, which an import does not read. */
export async function toRowsFile(
  file: Blob,
  format: RowFormat,
  rows: ReadonlyMap<number, FileRow>,
  reasons: ReadonlyMap<number, string>,
): Promise<Blob> {
  const texts = [...rows.values()].map(({ text }) => text);
  if (format === 'text/csv') {
    const { header, separator } = await readHeader(file);
    const cut = String.fromCharCode(separator);
    const headings = new TextDecoder().decode(header).replace(/\r?\n$/, '');
    const count = (text: string): number => text.replaceAll(/"[^"]*"|^sep=./gi, '').split(cut).length;
    const cells = count(headings) + 1;
    const add = (text: string, cell = ''): string =>
      text + cut.repeat(Math.max(1, cells - count(text))) + (cell && quoteCell(cell));
    texts.splice(0, rows.size, add(headings, 'reason'));
    for (const [line, { text }] of rows)
      texts.push(...toOwnRows(text).map((each, at) => add(each, at === 0 ? reasons.get(line) : '')));
  }
  return new Blob([texts.map((text) => `${text}\n`).join('')], { type: format });
}

/** A row of CSV; its lines, if a quote without an end has joined them. */
function toOwnRows(text: string): readonly string[] {
  const isOpen = text.replaceAll(/"[^"]*(?:""[^"]*)*"(?=[,;\t]|$)/g, '').includes('"');
  return isOpen ? text.split(/\r?\n/) : [text];
}

/** What is left of a file. @param bytes that are done; they end where a row ends. */
export async function toRest(file: Blob, format: RowFormat, bytes: number) {
  const isCsv = format === 'text/csv';
  const header = bytes > 0 && isCsv ? (await readHeader(file)).header : new Uint8Array(0);
  let lines = -header.reduce((count, byte) => (byte === lineFeed ? count + 1 : count), 0);
  for await (const row of splitRows(file.slice(0, bytes).stream(), new RowSplitter(isCsv))) lines += row.lines;
  return {
    source: bytes === 0 ? file : new Blob([header, file.slice(bytes)]),
    /** Add it to a line of the source to get the line of the file. */
    lineOffset: BigInt(lines),
    toFileBytes: (sourceBytes: number) => bytes + sourceBytes - header.length,
  };
}

/** Has the header line of CSV, which every part of the file needs, and one before it that names the separator. */
async function readHeader(file: Blob): Promise<RowSplitter> {
  const splitter = new RowSplitter(true);
  for await (const { isBlank } of splitRows(file.stream(), splitter)) if (!isBlank) break;
  return splitter;
}
