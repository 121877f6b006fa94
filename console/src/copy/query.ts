/** Which plants the copy has: all of them, or where that would be too many, the first ones that the service finds. */
import type { PlantFilter } from '../../../src/client/client.ts';
import { matches, type Row, toRow } from './order.ts';
import type { State } from './own-writes.ts';

/** Which plants, where there are more than the bounds: the first ones in this order of their ids. */
export interface Query {
  readonly filter: PlantFilter;
  readonly order: 'asc' | 'desc';
}

export const all: Query = { filter: {}, order: 'asc' };

/** The plants that a query has found. */
export interface Found {
  readonly rows: Map<bigint, Row>;
  readonly query: Query;
  /** The id of the last of these plants, if there are more. */
  readonly end?: bigint | undefined;
}

/** Puts the plant there if it belongs there, otherwise removes it. An id that is searched for is among the plants if none are left out. */
export function putInto({ rows, query: { filter, order }, end }: Found, id: bigint, state: State): void {
  const isBeyond = end !== undefined && (order === 'asc' ? id > end : id < end);
  const row = state === undefined || isBeyond ? undefined : toRow(state);
  if (row !== undefined && matches(filter, end === undefined)(row)) rows.set(id, row);
  else rows.delete(id);
}
