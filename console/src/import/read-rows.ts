/** Rows of a file by the lines they begin on, as they stand there: to show refused rows, and to save them for fixing. */
import type { RowFormat } from '../../../src/client/client.ts';
import { RowScanner } from '../../../src/rows/row-scanner.ts';

export interface FileRow {
  /** With its line breaks, without the one that ends it. */
  readonly text: string;
  /** Last line of the row: a quoted field may contain line breaks, and an unclosed quote swallows lines. */
  readonly lastLine: number;
}

/** Rows are cut after this many characters: the service takes no longer ones. */
const rowLengthMax = 65_536;

/** The rows that begin on these lines, the first line being 1. Reads no further than needed. */
export async function readRows(
  file: Blob,
  format: RowFormat,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, FileRow>> {
  const wanted = new Set(numbers);
  const last = Math.max(0, ...numbers);
  const rows = new Map<number, FileRow>();
  if (wanted.size === 0) return rows;
  const encoder = new TextEncoder();
  const isCsv = format === 'text/csv';
  // The header line names the separator.
  const header = new RowScanner(isCsv);
  let open: { readonly start: number; text: string; readonly scanner: RowScanner } | undefined;
  let number = 0;
  for await (const line of readLines(file)) {
    number++;
    if (header.headerEnd === 0) header.scan(encoder.encode(line));
    if (open === undefined && wanted.has(number)) {
      const { separator } = header.position;
      open = { start: number, text: '', scanner: new RowScanner(isCsv, { state: 'start', separator }) };
    }
    if (open === undefined) continue;
    open.text = (open.text + line).slice(0, rowLengthMax);
    open.scanner.scan(encoder.encode(line));
    rows.set(open.start, { text: open.text.replace(/\r?\n$/, ''), lastLine: number });
    if (open.scanner.rows === 0) continue;
    open = undefined;
    if (number >= last) break;
  }
  return rows;
}

/** The header line of CSV, which every part of the file needs: the first line that is not blank. */
export async function readHeader(file: Blob): Promise<string> {
  for await (const line of readLines(file)) if (line.trim() !== '') return line;
  return '';
}

/** Lines with their line endings. */
async function* readLines(file: Blob): AsyncGenerator<string, void, undefined> {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { value } = await reader.read();
      const lines = (rest + (value ?? '')).split(/(?<=\n)/);
      rest = value === undefined ? '' : (lines.pop() ?? '').slice(0, 2 * rowLengthMax);
      for (const line of lines) if (line !== '') yield line;
      if (value === undefined) return;
    }
  } finally {
    await reader.cancel();
  }
}
