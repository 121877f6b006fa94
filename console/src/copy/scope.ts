/** Which plants the copy has: all of them, or where that would be too many, the first ones that the service finds. */
import type { PlantFilter } from '../../../src/client/client.ts';
import { matches, type Row, toRow } from './order.ts';
import type { State } from './own-writes.ts';

/** Which plants, where there are more than the bounds: the first ones in this order of their ids. */
export interface Scope {
  readonly filter: PlantFilter;
  readonly order: 'asc' | 'desc';
}

export const all: Scope = { filter: {}, order: 'asc' };

export interface Loading {
  readonly rows: Map<bigint, Row>;
  readonly scope: Scope;
  readonly end?: bigint | undefined;
}

/** Puts the plant there if it belongs there, otherwise removes it. An id that is searched for is among the plants if none are left out. */
export function putInto({ rows, scope: { filter, order }, end }: Loading, id: bigint, state: State): void {
  const isBeyond = end !== undefined && (order === 'asc' ? id > end : id < end);
  const row = state === undefined || isBeyond ? undefined : toRow(state);
  if (row !== undefined && matches(filter, end === undefined)(row)) rows.set(id, row);
  else rows.delete(id);
}
