/** Makes of a CSV file what the service reads: UTF-8, with the columns named, and new ids in front where there are none. Rows stay on their lines. */
import { type CsvField, parseCsvRow } from '../../../src/rows/csv-reader.ts';
import { decodeLossy } from '../../../src/rows/row-reader.ts';
import { type RawRow, RowSplitter } from '../../../src/rows/row-splitter.ts';
import { type CsvPlan, isCorrecting, isPlain, toHeader } from './csv-plan.ts';
import type { Encoding } from './inspect-file.ts';
import { splitRows } from './read-rows.ts';

/** Bytes of one part of the result. */
const partBytes = 1_000_000;
const lineFeed = 0x0a;

export interface Converted {
  readonly source: Blob;
  /** Lines of the source before the first line of the file. */
  readonly addedLines: 0 | 1;
  /** Rows without a name that are left out, because the plan wants that. */
  readonly leftOut: number;
}

/** The cells of the first row that is not blank; undefined: there is none, or it is malformed. */
export async function readFirstRow(file: Blob, encoding: Encoding): Promise<readonly string[] | undefined> {
  const splitter = new RowSplitter(true);
  for await (const row of splitRows(toUtf8(file, encoding), splitter))
    if (!row.isBlank) return toCells(row, splitter)?.map((cell = '') => cell);
  return undefined;
}

export async function convertCsv(file: Blob, first: readonly string[], plan: CsvPlan): Promise<Converted> {
  if (isPlain(first, plan)) return { source: file, addedLines: 0, leftOut: 0 };
  const encoder = new TextEncoder();
  const splitter = new RowSplitter(true);
  const parts: Blob[] = [];
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const write = (chunk: Uint8Array | string): void => {
    // A copy: the splitter uses its memory again.
    const own = typeof chunk === 'string' ? encoder.encode(chunk) : chunk.slice();
    chunks.push(own);
    bytes += own.length;
    if (bytes < partBytes) return;
    // A browser may move blobs out of memory, arrays never.
    parts.push(new Blob(chunks));
    chunks = [];
    bytes = 0;
  };
  let isFirst = true;
  let id = plan.firstId;
  let leftOut = 0;
  for await (const row of splitRows(toUtf8(file, plan.encoding), splitter)) {
    const cut = String.fromCharCode(splitter.separator);
    const isHeading = isFirst && plan.hasHeadings;
    const cells = isHeading || row.isBlank || !isCorrecting(plan) ? undefined : toCells(row, splitter);
    const isLeftOut = plan.skipsUnnamed === true && cells !== undefined && (cells[plan.name] ?? '').trim() === '';
    if (isLeftOut) leftOut++;
    if (row.isBlank || isLeftOut) {
      // Without what names the separator, and the mark: the header line is to be the first.
      write('\n'.repeat(row.lines));
      continue;
    }
    if (isFirst) write(`${toHeader(first, plan, cut)}\n`);
    if (isHeading) write('\n'.repeat(row.lines - 1));
    else {
      if (plan.id === 'new') write(`${id++}${cut}`);
      const changed = cells && changeCells(cells, plan);
      if (changed !== undefined) write(`${changed.join(cut)}\n`);
      else write(row.length > row.bytes.length ? toTooLong(row) : row.bytes.subarray(row.markBytes));
    }
    isFirst = false;
  }
  return { source: new Blob([...parts, ...chunks]), addedLines: plan.hasHeadings ? 0 : 1, leftOut };
}

/** Rows as a spreadsheet copies them: in quotes are cells with line breaks only, and any other quote is a part of a text. */
export function quotePasted(text: string): string {
  if (!text.includes('\t')) return text;
  return text.replaceAll(/"(?:[^"]|"")*"(?=[\t\r\n]|$)|[^\t\r\n]+/g, (cell) =>
    /^(?:[^"]*|"(?:[^"]|"")*")$/.test(cell) ? cell : `"${cell.replaceAll('"', '""')}"`,
  );
}

/** Undefined: the row is malformed. */
function toCells(row: RawRow, { separator }: RowSplitter): readonly CsvField[] | undefined {
  const parsed = parseCsvRow(row, separator, { decode: decodeLossy });
  return 'content' in parsed ? parsed.content : undefined;
}

/** The cells as text, with another id or tag; undefined: they are as the plan wants them. */
function changeCells(cells: readonly CsvField[], { id, tag, readsZeros, tags }: CsvPlan): string[] | undefined {
  const changed = cells.map((cell, at) => {
    if (at === id && readsZeros === true) return cell?.replace(/^(-?)0+(?=\d+$)/, '$1');
    return at === tag ? (tags?.get(cell ?? '') ?? cell) : cell;
  });
  if (cells.every((cell, at) => cell === changed[at])) return undefined;
  return changed.map((cell) => (cell === undefined ? '' : `"${cell.replaceAll('"', '""')}"`));
}

/** What is kept of a row that is too long: as long, without a quote that would go on, and with its lines. */
function toTooLong({ bytes, lines }: RawRow): Uint8Array {
  const rest = new Uint8Array(bytes.length + lines).fill(lineFeed, bytes.length);
  rest.set(bytes.map((byte) => (byte < 0x20 || byte === 0x22 ? 0x20 : byte)));
  return rest;
}

/** Bytes that are no text in this encoding stay refused: only other encodings are decoded. */
function toUtf8(file: Blob, encoding: Encoding): ReadableStream<Uint8Array> {
  if (encoding === 'utf-8') return file.stream();
  return file.stream().pipeThrough(new TextDecoderStream(encoding)).pipeThrough(new TextEncoderStream());
}
