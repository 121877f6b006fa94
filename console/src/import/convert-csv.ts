/** Makes of a CSV file what the service reads: UTF-8, with the columns named, and new ids in front where there are none. Rows stay on their lines. */
import { parseCsvRow } from '../../../src/rows/csv-reader.ts';
import { type RawRow, RowSplitter } from '../../../src/rows/row-splitter.ts';
import { type CsvPlan, isPlain, toHeader } from './csv-plan.ts';
import type { Encoding } from './inspect-file.ts';
import { readChunks } from './read-chunks.ts';

/** Bytes of one part of the result. */
const partBytes = 1_000_000;
const lineFeed = new Uint8Array([0x0a]);

export interface Converted {
  readonly source: Blob;
  /** Lines of the source before the first line of the file. */
  readonly addedLines: 0 | 1;
}

/** The cells of the first row that is not blank; undefined: there is none, or it is malformed. */
export async function readFirstRow(file: Blob, encoding: Encoding): Promise<readonly string[] | undefined> {
  for await (const { row, separator } of readRows(file, encoding)) {
    if (row.isBlank) continue;
    const parsed = parseCsvRow(row, separator, { decode });
    return 'content' in parsed ? parsed.content.map((cell = '') => cell) : undefined;
  }
  return undefined;
}

export async function convertCsv(file: Blob, first: readonly string[], plan: CsvPlan): Promise<Converted> {
  if (isPlain(first, plan)) return { source: file, addedLines: 0 };
  const encoder = new TextEncoder();
  const parts: Blob[] = [];
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const write = (chunk: Uint8Array): void => {
    // A copy: the splitter uses its memory again.
    chunks.push(chunk.slice());
    bytes += chunk.length;
    if (bytes < partBytes) return;
    // A browser may move blobs out of memory, arrays never.
    parts.push(new Blob(chunks));
    chunks = [];
    bytes = 0;
  };
  let isFirst = true;
  let id = plan.firstId;
  for await (const { row, separator } of readRows(file, plan.encoding)) {
    const cut = String.fromCharCode(separator);
    const isHeading = isFirst && plan.hasHeadings;
    if (row.isBlank || (!isHeading && isLeftOut(row, separator, plan))) {
      // Without what names the separator, and the mark: the header line is to be the first.
      for (let line = 0; line < row.lines; line++) write(lineFeed);
      continue;
    }
    if (isFirst) write(encoder.encode(`${toHeader(first.length, plan, cut)}\n`));
    if (isHeading) for (let line = 1; line < row.lines; line++) write(lineFeed);
    else {
      if (plan.id === 'new') write(encoder.encode(`${id++}${cut}`));
      const changed = changeCells(row, separator, plan);
      if (changed !== undefined) write(encoder.encode(changed));
      else write(row.length > row.bytes.length ? toTooLong(row) : row.bytes.subarray(row.markBytes));
    }
    isFirst = false;
  }
  return { source: new Blob([...parts, ...chunks]), addedLines: plan.hasHeadings ? 0 : 1 };
}

/** Whether it has no name, and the plan does not want such rows. */
function isLeftOut(row: RawRow, separator: number, { skipsUnnamed, name }: CsvPlan): boolean {
  if (skipsUnnamed !== true) return false;
  const parsed = parseCsvRow(row, separator, { decode });
  return 'content' in parsed && (parsed.content[name] ?? '').trim() === '';
}

/** The row with another id or tag, if the plan wants that. */
function changeCells(row: RawRow, separator: number, { id, tag, readsZeros, tags }: CsvPlan): string | undefined {
  if (readsZeros !== true && tags === undefined) return undefined;
  const parsed = parseCsvRow(row, separator, { decode });
  if (!('content' in parsed)) return undefined;
  const cells = parsed.content.map((cell, at) => {
    if (at === id && readsZeros === true) return cell?.replace(/^(-?)0+(?=\d+$)/, '$1');
    return at === tag ? (tags?.get(cell ?? '') ?? cell) : cell;
  });
  if (cells.every((cell, at) => cell === parsed.content[at])) return undefined;
  const texts = cells.map((cell) => (cell === undefined ? '' : `"${cell.replaceAll('"', '""')}"`));
  return `${texts.join(String.fromCharCode(separator))}\n`;
}

const utf8 = new TextDecoder('utf-8');
const decode = (bytes: Uint8Array): string => utf8.decode(bytes);

/** What is kept of a row that is too long: as long, without a quote that would go on, and with its lines. */
function toTooLong({ bytes, lines }: RawRow): Uint8Array {
  const rest = new Uint8Array(bytes.length + lines).fill(lineFeed[0] ?? 0, bytes.length);
  rest.set(bytes.map((byte) => (byte < 0x20 || byte === 0x22 ? 0x20 : byte)));
  return rest;
}

async function* readRows(
  file: Blob,
  encoding: Encoding,
): AsyncGenerator<{ readonly row: RawRow; readonly separator: number }, void, undefined> {
  const splitter = new RowSplitter(true);
  const decoder = new TextDecoder(encoding);
  const encoder = new TextEncoder();
  for await (const chunk of readChunks(file)) {
    // Bytes that are no text in this encoding stay refused: only other encodings are decoded.
    const bytes = encoding === 'utf-8' ? chunk : encoder.encode(decoder.decode(chunk, { stream: chunk !== undefined }));
    for (const row of bytes === undefined ? [] : splitter.split(bytes)) yield { row, separator: splitter.separator };
    if (chunk === undefined) for (const row of splitter.end()) yield { row, separator: splitter.separator };
  }
}
