/**
 * Moves the changes of committed changesets to the log, where they get their positions. A changeset
 * has the changes of one transaction; its table is `change_batches`.
 *
 * The log and the changesets may be on different nodes, where a transaction on both does not end
 * at the same moment. So the transaction writes to the log alone, and notes the changesets that it
 * has moved. They are deleted afterwards, and skipped until they are gone.
 */
import type { Connection, Rows } from '../connect/connection.ts';
import { type Query, writeWithinMs } from '../connect/query.ts';
import {
  groupKeysQuery,
  lockLog,
  movedChangesetsMax,
  moveQuery,
  saveLogQuery,
  selectChangesets,
} from './change-rows.ts';
import type { Prepared } from '../connect/transactions.ts';

/** Changes that one transaction moves at most, unless one changeset has more. */
const movedChangesMax = 2_000;

export interface Moved {
  /** Changesets that are in the log, and may still be in their own table. */
  readonly moved: readonly bigint[];
  /** All committed changesets up to this number are in the log; absent: all that there were. */
  readonly upto?: bigint | undefined;
}

type Changeset = readonly [seq: bigint, changes: number, groups: readonly string[] | null];

/** The work of a transaction (`runTransaction`). */
export async function moveChangesets(connection: Connection, begun: Promise<Rows>): Promise<Prepared<Moved>> {
  const [, log, changesets] = await Promise.all([
    begun,
    connection.run(lockLog, [], writeWithinMs),
    connection.run(selectChangesets, [], writeWithinMs),
  ]);
  const [last, noted] = log.rows[0] as readonly [bigint, readonly string[]];
  const found = changesets.rows as readonly Changeset[];
  const { taken, end, upto } = assignPositions(found, new Set(noted.map(BigInt)), last);
  const moved = [...stillThere(noted.map(BigInt), found), ...taken.keys()];
  if (taken.size === 0) return { sent: [], toResult: () => ({ moved, upto }) };
  const send = ({ statement, values }: Query): Promise<Rows> => connection.run(statement, values, writeWithinMs);
  const names = new Set(found.flatMap(([seq, , groups]) => (taken.has(seq) ? (groups ?? []) : [])));
  const groups = names.size === 0 ? [] : (await send(groupKeysQuery([...names]))).rows;
  return { sent: [send(moveQuery(taken, groups)), send(saveLogQuery(end, moved))], toResult: () => ({ moved, upto }) };
}

/** The oldest changesets that are not in the log, each with the position before its first change. */
function assignPositions(
  found: readonly Changeset[],
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
  return { taken, end, upto: found.length === movedChangesetsMax ? upto : undefined };
}

/** Returns the noted changesets that were found, and those after the last changeset that was read. */
function stillThere(noted: readonly bigint[], found: readonly Changeset[]): bigint[] {
  const seqs = new Set(found.map(([seq]) => seq));
  const lastSeq = found.at(-1)?.[0] ?? 0n;
  return noted.filter((seq) => seqs.has(seq) || (found.length === movedChangesetsMax && seq > lastSeq));
}
