/**
 * Moves the changes of committed changesets to the log, where they get their positions. A changeset
 * has the changes of one transaction; its table is `change_batches`.
 *
 * The log and the changesets may be on different nodes, where a transaction on both does not end
 * at the same moment. So the transaction writes to the log alone, and saves which changesets it
 * has moved. They are deleted afterwards, and skipped until they are gone.
 */
import type { Connection, Rows } from '../connect/connection.ts';
import { type BoundStatement, writeWithinMs } from '../connect/statement.ts';
import {
  groupKeysStatement,
  lockLog,
  movedChangesetsMax,
  moveStatement,
  saveLogStatement,
  selectChangesets,
} from './change-rows.ts';
import type { Prepared } from '../connect/transactions.ts';

/** Changes that one transaction moves at most, unless one changeset has more. */
const movedChangesMax = 2_000;

export interface Moved {
  /** Changesets that are in the log, and may still be in their own table. */
  readonly moved: readonly bigint[];
  /**
   * All committed changesets up to this number are in the log. Absent: all changesets that were
   * committed before they were read here.
   */
  readonly movedUpTo?: bigint | undefined;
}

type Changeset = readonly [seq: bigint, changes: number, groups: readonly string[] | null];

/** The work of a transaction (`runTransaction`). */
export async function moveChangesets(connection: Connection, begun: Promise<Rows>): Promise<Prepared<Moved>> {
  const [, log, changesets] = await Promise.all([
    begun,
    connection.run(lockLog, [], writeWithinMs),
    connection.run(selectChangesets, [], writeWithinMs),
  ]);
  const [lastPosition, noted] = log.rows[0] as readonly [bigint, readonly string[]];
  const movedBefore = noted.map(BigInt);
  const found = changesets.rows as readonly Changeset[];
  const { positions, newLastPosition, movedUpTo } = assignPositions(found, new Set(movedBefore), lastPosition);
  const moved = [...stillThere(movedBefore, found), ...positions.keys()];
  const toResult = (): Moved => ({ moved, movedUpTo });
  if (positions.size === 0) return { sent: [], toResult };
  const send = ({ statement, values }: BoundStatement): Promise<Rows> =>
    connection.run(statement, values, writeWithinMs);
  const names = new Set(found.flatMap(([seq, , groups]) => (positions.has(seq) ? (groups ?? []) : [])));
  const groups = names.size === 0 ? [] : (await send(groupKeysStatement([...names]))).rows;
  return { sent: [send(moveStatement(positions, groups)), send(saveLogStatement(newLastPosition, moved))], toResult };
}

interface Assigned {
  /** The changesets to move, each with the position before its first change. */
  readonly positions: ReadonlyMap<bigint, bigint>;
  /** The last position of the log, once they are in it. */
  readonly newLastPosition: bigint;
  /** See `Moved`. */
  readonly movedUpTo: bigint | undefined;
}

/**
 * Gives positions to the oldest changesets that are not in the log.
 * @param lastPosition of the log, without them.
 */
function assignPositions(
  found: readonly Changeset[],
  movedBefore: ReadonlySet<bigint>,
  lastPosition: bigint,
): Assigned {
  const positions = new Map<bigint, bigint>();
  let position = lastPosition;
  let movedUpTo: bigint | undefined;
  for (const [seq, changes] of found) {
    if (!movedBefore.has(seq)) {
      const isFull = position - lastPosition + BigInt(changes) > movedChangesMax;
      if (isFull && positions.size > 0) return { positions, newLastPosition: position, movedUpTo };
      positions.set(seq, position);
      position += BigInt(changes);
    }
    movedUpTo = seq;
  }
  return { positions, newLastPosition: position, movedUpTo: mayHaveMore(found) ? movedUpTo : undefined };
}

/**
 * Returns the changesets moved before that may still be in their table: those that were found, and
 * if there may be more than were read, also those after the last one.
 */
function stillThere(movedBefore: readonly bigint[], found: readonly Changeset[]): bigint[] {
  const seqs = new Set(found.map(([seq]) => seq));
  const lastSeq = found.at(-1)?.[0] ?? 0n;
  return movedBefore.filter((seq) => seqs.has(seq) || (mayHaveMore(found) && seq > lastSeq));
}

/** Whether the table may have changesets after those found: `selectChangesets` has a limit. */
function mayHaveMore(found: readonly Changeset[]): boolean {
  return found.length === movedChangesetsMax;
}
