/**
 * Plants are divided into buckets, so that a transaction stays in one: all its rows are on one node
 * then, which commits or loses them together. What is not a plant is in none, and on the coordinator.
 * Divides the writes of a commit into parts, one for each bucket, and joins what has become of them.
 */
import type { EditOutcome, RowOutcome } from '../../../domain/store.ts';
import { isPlantWrite, isRefusal, refuse, type Refusal, type Result, type Write } from '../../write.ts';
import type { DividedWrites } from '../division.ts';

/** The odd number next to 2^64 / golden ratio: the first bits of its multiples spread evenly. */
const factor = 0x9e37_79b9_7f4a_7c15n;

/** The bucket of a plant. It is stored, and must never change. */
export function bucketOf(id: bigint, buckets: number): number {
  return Number(((BigInt.asUintN(64, id * factor) >> 32n) * BigInt(buckets)) >> 32n);
}

/** Where a write, or some rows of one, can be found. */
interface InPart {
  readonly part: number;
  /** The index of the write in the part. */
  readonly index: number;
  /** The indexes of the rows; absent for a write without rows. */
  readonly rows?: readonly number[];
}

/** The writes of each part are in the order of the commit. A write with rows is divided, too. */
export function divide(writes: readonly Write[], buckets: number): DividedWrites {
  const parts = new Map<number | undefined, { part: number; writes: Write[] }>();
  const put = (bucket: number | undefined, write: Write): InPart => {
    const found = parts.get(bucket) ?? { part: parts.size, writes: [] };
    parts.set(bucket, found);
    return { part: found.part, index: found.writes.push(write) - 1 };
  };
  const putRows = <Row extends { readonly id: bigint }>(
    all: readonly Row[],
    toWrite: (rows: readonly Row[]) => Write,
  ): readonly InPart[] =>
    divideRows(all, buckets).map(([bucket, rows]) => ({
      ...put(bucket, toWrite(rows.map(({ row }) => row))),
      rows: rows.map(({ index }) => index),
    }));
  const entries = writes.map((write): readonly InPart[] => {
    if (!isPlantWrite(write)) return [put(undefined, write)];
    if (write.kind === 'import') return putRows(write.rows, (rows) => ({ ...write, rows }));
    if (write.kind === 'edit') return putRows(write.rows, (rows) => ({ ...write, rows }));
    return [put(bucketOf('plant' in write ? write.plant.id : write.id, buckets), write)];
  });
  return {
    parts: [...parts].map(([bucket, part]) => ({ bucket, writes: part.writes })),
    join: (results) => entries.map((each) => joinOne(each, (entry) => results[entry.part]?.[entry.index])),
  };
}

interface Numbered<Row> {
  readonly row: Row;
  readonly index: number;
}

function divideRows<Row extends { readonly id: bigint }>(
  rows: readonly Row[],
  buckets: number,
): readonly (readonly [bucket: number, rows: readonly Numbered<Row>[]])[] {
  const divided = new Map<number, Numbered<Row>[]>();
  rows.forEach((row, index) => {
    const bucket = bucketOf(row.id, buckets);
    const found = divided.get(bucket);
    if (found === undefined) divided.set(bucket, [{ row, index }]);
    else found.push({ row, index });
  });
  return [...divided];
}

function joinOne(
  entries: readonly InPart[],
  resultOf: (entry: InPart) => Result | Refusal | undefined,
): Result | Refusal {
  const [first] = entries;
  // A write with an empty list of rows is in no part.
  if (first === undefined) return [];
  if (first.rows === undefined) return resultOf(first) ?? refuse('internal');
  const refusals: Refusal[] = [];
  const joined: (RowOutcome | EditOutcome)[] = [];
  for (const entry of entries) {
    const result = resultOf(entry) ?? refuse('internal');
    if (isRefusal(result)) refusals.push(result);
    else
      entry.rows?.forEach(
        (row, index) => (joined[row] = (result as readonly (RowOutcome | EditOutcome)[])[index] ?? 'unchanged'),
      );
  }
  const [refusal] = refusals;
  // All outcomes have the kind of the write.
  if (refusal === undefined) return joined as readonly RowOutcome[] | readonly EditOutcome[];
  // "Nothing was written" is true only if no part was committed.
  const isNothingWritten =
    refusals.length === entries.length && refusals.every(({ refused }) => refused === refusal.refused);
  return isNothingWritten ? refusal : { ...refusal, refused: 'store_failed' };
}
