/** Finds ids that are in a file more than once, which the service does not: it compares each row with what is stored. And rows without a name. */
import type { RowFormat } from '../../../src/client/client.ts';
import { parseJson } from '../../../src/json/parse-json.ts';
import { CsvReader } from '../../../src/rows/csv-reader.ts';
import { NdjsonReader } from '../../../src/rows/ndjson-reader.ts';
import { parseId } from '../parse-id.ts';
import { readChunks } from './read-chunks.ts';

export interface RowFindings {
  /** The first of these ids, each with its first lines. */
  readonly shown: ReadonlyMap<bigint, readonly number[]>;
  /** Number of ids that are there more than once. */
  readonly count: number;
  /** The lines of all rows but the first of each id. */
  readonly later: readonly number[];
  /** False: the file has more rows than are compared. */
  readonly isWhole: boolean;
  /** Rows whose id an earlier row has. Undefined: these are too many, and each counts by itself. */
  readonly rows?: bigint | undefined;
  /** The first lines of rows without a name, and the number of all. */
  readonly unnamed: { readonly lines: readonly number[]; readonly count: number };
}

/** Rows that are compared: 24 MB of memory, and twice as much if all ids are repeated. */
const rowsMax = 2_000_000;
/** Ids that are named, and lines of each and of rows without a name. */
const shownMax = 5;

/** @param ignored lines of rows that are no plants. */
export async function examineRows(
  source: Blob,
  format: RowFormat,
  signal: AbortSignal,
  ignored: ReadonlySet<number>,
): Promise<RowFindings> {
  let ids = new BigInt64Array(1_024);
  let lines = new Uint32Array(1_024);
  let count = 0;
  const unnamed = { lines: new Array<number>(), count: 0 };
  for await (const { id, isUnnamed, line } of readPlants(source, format)) {
    if (signal.aborted || count === rowsMax) break;
    if (ignored.has(line)) continue;
    if (isUnnamed && unnamed.count++ < shownMax) unnamed.lines.push(line);
    if (count === ids.length) {
      ids = grow(ids, new BigInt64Array(2 * count));
      lines = grow(lines, new Uint32Array(2 * count));
    }
    ids[count] = id;
    lines[count] = line;
    count++;
  }
  const sorted = ids.slice(0, count).sort();
  const repeated = new Set(sorted.filter((id, at) => id === sorted[at - 1]));
  const seen = new Set<bigint>();
  const shown = new Map<bigint, number[]>();
  const later: number[] = [];
  for (let at = 0; at < count && repeated.size > 0; at++) {
    const [id = 0n, line = 0] = [ids[at], lines[at]];
    if (!repeated.has(id)) continue;
    if (seen.has(id)) later.push(line);
    else if (seen.add(id).size <= shownMax) shown.set(id, []);
    const own = shown.get(id);
    if (own !== undefined && own.length < shownMax) own.push(line);
  }
  return { shown, count: repeated.size, later, isWhole: count < rowsMax, unnamed };
}

function grow<Numbers extends BigInt64Array | Uint32Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from as never);
  return to;
}

interface ReadPlant {
  readonly id: bigint;
  readonly isUnnamed: boolean;
  readonly line: number;
}

/** Rows that are no plants are left to the service. */
async function* readPlants(source: Blob, format: RowFormat): AsyncGenerator<ReadPlant, void, undefined> {
  const rows = format === 'text/csv' ? new CsvReader() : new NdjsonReader();
  let columns: readonly (string | undefined)[] | undefined;
  for await (const chunk of readChunks(source)) {
    for (const row of chunk === undefined ? rows.end() : rows.read(chunk)) {
      if (!('content' in row)) continue;
      const { content, line } = row;
      if (typeof content !== 'string' && columns === undefined) {
        columns = content.map((cell) => cell?.trim().toLowerCase());
        continue;
      }
      const { id, name } =
        typeof content === 'string'
          ? toMembers(content)
          : {
              id: parseId(content[columns?.indexOf('id') ?? 0] ?? ''),
              name: content[columns?.indexOf('name') ?? 0] ?? '',
            };
      if (typeof id === 'bigint') yield { id, isUnnamed: typeof name === 'string' && name.trim() === '', line };
    }
  }
}

function toMembers(text: string): Record<string, unknown> {
  try {
    return Object(parseJson(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
