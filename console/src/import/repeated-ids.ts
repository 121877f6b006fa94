/** Finds ids that are in a file more than once: the service compares each row with what is stored, not with the others. */
import type { RowFormat } from '../../../src/client/client.ts';
import { parseJson } from '../../../src/json/parse-json.ts';
import { CsvReader } from '../../../src/rows/csv-reader.ts';
import { NdjsonReader } from '../../../src/rows/ndjson-reader.ts';
import { parseId } from '../parse-id.ts';

export interface RepeatedId {
  readonly id: bigint;
  /** The first two. */
  readonly lines: readonly [number, number];
}

export interface Repetitions {
  /** The first ones. */
  readonly shown: readonly RepeatedId[];
  /** Number of ids that are there more than once. */
  readonly count: number;
  /** False: the file has more rows than are compared. */
  readonly isWhole: boolean;
}

/** Rows that are compared: 24 MB of memory. */
const rowsMax = 2_000_000;
const shownMax = 5;

export async function findRepeatedIds(source: Blob, format: RowFormat, signal: AbortSignal): Promise<Repetitions> {
  let ids = new BigInt64Array(1_024);
  let lines = new Uint32Array(1_024);
  let count = 0;
  for await (const { id, line } of readIds(source, format)) {
    if (signal.aborted || count === rowsMax) break;
    if (count === ids.length) {
      ids = grow(ids, new BigInt64Array(2 * count));
      lines = grow(lines, new Uint32Array(2 * count));
    }
    ids[count] = id;
    lines[count] = line;
    count++;
  }
  const sorted = ids.slice(0, count).sort();
  const repeated = new Set<bigint>();
  for (let at = 1; at < count; at++) if (sorted[at] === sorted[at - 1]) repeated.add(sorted[at] ?? 0n);
  const first = new Map<bigint, number>();
  const shown: RepeatedId[] = [];
  const isShown = new Set<bigint>();
  for (let at = 0; at < count && repeated.size > 0 && shown.length < shownMax; at++) {
    const [id = 0n, line = 0] = [ids[at], lines[at]];
    if (!repeated.has(id) || isShown.has(id)) continue;
    const before = first.get(id);
    if (before === undefined) first.set(id, line);
    else {
      shown.push({ id, lines: [before, line] });
      isShown.add(id);
    }
  }
  return { shown, count: repeated.size, isWhole: count < rowsMax };
}

function grow<Numbers extends BigInt64Array | Uint32Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from as never);
  return to;
}

/** Rows that are no plants are left to the service. */
async function* readIds(
  source: Blob,
  format: RowFormat,
): AsyncGenerator<{ readonly id: bigint; readonly line: number }, void, undefined> {
  const isCsv = format === 'text/csv';
  const rows = isCsv ? new CsvReader() : new NdjsonReader();
  const stream = source.stream().getReader();
  let column: number | undefined;
  try {
    for (;;) {
      const { value } = await stream.read();
      for (const row of value === undefined ? rows.end() : rows.read(value)) {
        if (!('content' in row)) continue;
        const { content, line } = row;
        if (typeof content !== 'string' && column === undefined) {
          column = content.findIndex((cell) => cell?.trim().toLowerCase() === 'id');
          continue;
        }
        const id = typeof content === 'string' ? toJsonId(content) : parseId(content[column ?? 0] ?? '');
        if (id !== undefined) yield { id, line };
      }
      if (value === undefined) return;
    }
  } finally {
    await stream.cancel();
  }
}

function toJsonId(text: string): bigint | undefined {
  try {
    const value = parseJson(text);
    const id: unknown =
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)['id'] : undefined;
    return typeof id === 'bigint' ? id : undefined;
  } catch {
    return undefined;
  }
}
