/**
 * Moves what batches have changed to the log, where it gets its positions. Who calls it, and
 * when, is not known here.
 *
 * The log and the batches may be on different nodes, where a transaction on both does not end
 * at the same moment. So the transaction writes to the log alone, and notes the batches that it
 * has moved. They are removed afterwards, and passed over until they are gone.
 */
import type { Connection, Rows } from '../connect/connection.ts';
import { type Query, writeWithinMs } from '../connect/query.ts';
import { groupKeysQuery, lockLog, movedBatchesMax, moveQuery, saveLogQuery, selectBatches } from './change-rows.ts';
import type { Prepared } from '../connect/transactions.ts';

/** Changes that one transaction moves at most, unless one batch has more. */
const movedChangesMax = 2_000;

export interface Moved {
  /** Batches that are in the log, and may still be in their own table. */
  readonly moved: readonly bigint[];
  /** All committed batches up to this number are in the log; absent: all that there were. */
  readonly upto?: bigint | undefined;
}

type Batch = readonly [seq: bigint, changes: number, groups: readonly string[] | null];

/** The work of a transaction (`runTransaction`). */
export async function moveBatches(connection: Connection, begun: Promise<Rows>): Promise<Prepared<Moved>> {
  const [, log, batches] = await Promise.all([
    begun,
    connection.run(lockLog, [], writeWithinMs),
    connection.run(selectBatches, [], writeWithinMs),
  ]);
  const [last, noted] = log.rows[0] as readonly [bigint, readonly string[]];
  const found = batches.rows as readonly Batch[];
  const { taken, end, upto } = assignPositions(found, new Set(noted.map(BigInt)), last);
  const moved = [...stillThere(noted.map(BigInt), found), ...taken.keys()];
  if (taken.size === 0) return { sent: [], toResult: () => ({ moved, upto }) };
  const send = ({ statement, values }: Query): Promise<Rows> => connection.run(statement, values, writeWithinMs);
  const names = new Set(found.flatMap(([seq, , groups]) => (taken.has(seq) ? (groups ?? []) : [])));
  const groups = names.size === 0 ? [] : (await send(groupKeysQuery([...names]))).rows;
  return { sent: [send(moveQuery(taken, groups)), send(saveLogQuery(end, moved))], toResult: () => ({ moved, upto }) };
}

/** The oldest batches that are not in the log, each with the position before its first change. */
function assignPositions(
  found: readonly Batch[],
  noted: ReadonlySet<bigint>,
  last: bigint,
): { taken: ReadonlyMap<bigint, bigint>; end: bigint; upto: bigint | undefined } {
  const taken = new Map<bigint, bigint>();
  let end = last;
  let upto: bigint | undefined;
  for (const [seq, changes] of found) {
    if (!noted.has(seq)) {
      if (taken.size > 0 && end - last + BigInt(changes) > movedChangesMax) return { taken, end, upto };
      taken.set(seq, end);
      end += BigInt(changes);
    }
    upto = seq;
  }
  return { taken, end, upto: found.length === movedBatchesMax ? upto : undefined };
}

/** Returns the noted batches that were found, and those after the last batch that was read. */
function stillThere(noted: readonly bigint[], found: readonly Batch[]): bigint[] {
  const seqs = new Set(found.map(([seq]) => seq));
  const lastSeq = found.at(-1)?.[0] ?? 0n;
  return noted.filter((seq) => seqs.has(seq) || (found.length === movedBatchesMax && seq > lastSeq));
}
