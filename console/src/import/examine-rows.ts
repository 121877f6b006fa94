/**
 * Finds ids that are in a file more than once, which the service does not: it compares each row with what is stored. And rows without a name,
 * and the tags.
 */
import type { RowFormat } from '../../../src/client/client.ts';
import { parseId } from '../parse-id.ts';
import { readPlantRows } from './read-plant-rows.ts';

export interface RowFindings {
  /** The first of these ids, each with its first lines. */
  readonly shown: ReadonlyMap<bigint, readonly number[]>;
  /** Number of ids that are there more than once. */
  readonly count: number;
  /** The lines of all their rows. */
  readonly lines: readonly number[];
  /** False: the file has more rows than are compared. */
  readonly isWhole: boolean;
  /** Rows that replace what an earlier row stored. Undefined: they are not compared, and each counts by itself. */
  readonly again?: bigint;
  /** The first lines of rows without a name, and the number of all. */
  readonly unnamed: { readonly lines: readonly number[]; readonly count: number };
  /** Tags and their rows. */
  readonly tags: ReadonlyMap<string, number>;
}

/** Rows that are compared: 24 MB of memory, and twice as much if all ids are repeated. */
const rowsMax = 2_000_000;
/** Ids that are named, and lines of each and of rows without a name. */
const shownMax = 5;
/** Tags that are compared: nobody corrects more. */
const tagsMax = 1_000;

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
  const tags = new Map<string, number>();
  for await (const { id: text, name, tag, line } of readPlantRows(source, format)) {
    if (signal.aborted || count === rowsMax) break;
    const id = parseId(text);
    if (id === undefined || ignored.has(line)) continue;
    if (name.trim() === '' && unnamed.count++ < shownMax) unnamed.lines.push(line);
    if (tag !== undefined && (tags.has(tag) || tags.size < tagsMax)) tags.set(tag, (tags.get(tag) ?? 0) + 1);
    if (count === ids.length) {
      ids = new BigInt64Array(ids.buffer.transfer(2 * ids.byteLength));
      lines = new Uint32Array(lines.buffer.transfer(2 * lines.byteLength));
    }
    ids[count] = id;
    lines[count] = line;
    count++;
  }
  const sorted = ids.slice(0, count).sort();
  const repeated = new Set(sorted.filter((id, at) => id === sorted[at - 1]));
  const shown = new Map<bigint, number[]>();
  const ofRepeated: number[] = [];
  for (let at = 0; at < count && repeated.size > 0; at++) {
    const [id = 0n, line = 0] = [ids[at], lines[at]];
    if (!repeated.has(id)) continue;
    ofRepeated.push(line);
    if (shown.size < shownMax && !shown.has(id)) shown.set(id, []);
    const own = shown.get(id);
    if (own !== undefined && own.length < shownMax) own.push(line);
  }
  return { shown, count: repeated.size, lines: ofRepeated, isWhole: count < rowsMax, unnamed, tags };
}
