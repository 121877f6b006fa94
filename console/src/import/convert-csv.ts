/** Makes of a CSV file what the service reads: UTF-8, with the columns named, and new ids in front where there are none. Rows stay on their lines. */
import { type CsvField, type RawRow, RowSplitter, splitRows, toCells } from '../../../src/client/rows.ts';
import { countHeadings, type CsvPlan, isCorrecting, isPlain, quoteCell, repairId, toHeader } from './csv-plan.ts';
import { type CellRow, findFirst } from './find-table.ts';
import type { Encoding } from './inspect-file.ts';

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

/** Rows at the beginning and at the end of a file that are looked at, and bytes in which the first ones are. */
const edgeRows = 10;
const headBytes = 65_536;

export interface Edges {
  readonly separator: string | undefined;
  readonly rows: readonly CellRow[];
  readonly last: readonly CellRow[];
}

/** The first rows that are not blank, and the last ones. The separator is the one with which most headings are found. */
export async function readEdges(file: Blob, encoding: Encoding): Promise<Edges> {
  const heads = await Promise.all(
    [undefined, ';', '\t', ','].map(async (separator) => ({
      separator,
      rows: await readCells(file.slice(0, headBytes), encoding, separator, (rows) => rows.length < edgeRows),
    })),
  );
  const counts = heads.map(({ rows }) => countHeadings(findFirst(rows)?.cells ?? []));
  const { separator, rows = [] } = heads[counts.indexOf(Math.max(...counts))] ?? {};
  const last = await readCells(file, encoding, separator, (all) => all.length <= edgeRows || all.shift() !== undefined);
  return { separator, rows, last };
}

/** Without malformed rows. @param goesOn gets the rows so far. */
async function readCells(
  file: Blob,
  encoding: Encoding,
  separator: string | undefined,
  goesOn: (rows: CellRow[]) => boolean,
): Promise<readonly CellRow[]> {
  const splitter = toSplitter(separator);
  const rows: CellRow[] = [];
  for await (const row of splitRows(toUtf8(file, encoding), splitter)) {
    const cells = row.isBlank ? undefined : toCells(row, splitter);
    if (cells !== undefined) rows.push({ line: row.line, cells: cells.map((cell = '') => cell) });
    if (!goesOn(rows)) break;
  }
  return rows;
}

function toSplitter(separator: string | undefined): RowSplitter {
  return new RowSplitter(true, undefined, separator?.charCodeAt(0));
}

export async function convertCsv(file: Blob, first: readonly string[], plan: CsvPlan): Promise<Converted> {
  if (isPlain(first, plan)) return { source: file, addedLines: 0, leftOut: 0 };
  const encoder = new TextEncoder();
  const splitter = toSplitter(plan.separator);
  const { start = 0, end = Infinity } = plan;
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
    const isLeftOut =
      row.line < end && plan.skipsUnnamed === true && cells !== undefined && (cells[plan.name] ?? '').trim() === '';
    if (isLeftOut) leftOut++;
    if (row.isBlank || isLeftOut || row.line < start || row.line >= end) {
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
    /^(?:[^"]*|"(?:[^"]|"")*")$/.test(cell) ? cell : quoteCell(cell),
  );
}

/** The cells as text, with another id or tag; undefined: they are as the plan wants them. */
function changeCells(cells: readonly CsvField[], { id, tag, repairsIds, tags }: CsvPlan): string[] | undefined {
  const changed = cells.map((cell, at) => {
    if (at === id && repairsIds === true) return repairId(cell ?? '') ?? cell;
    return at === tag ? (tags?.get(cell ?? '') ?? cell) : cell;
  });
  if (cells.every((cell, at) => cell === changed[at])) return undefined;
  return changed.map((cell) => (cell === undefined ? '' : quoteCell(cell)));
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
