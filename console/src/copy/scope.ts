/** Which plants the copy has: all of them, or where that would be too many, the first ones of a filter. */
import type { PlantFilter } from '../../../src/client/client.ts';
import { isFound } from './filter.ts';
import type { State } from './own-writes.ts';
import type { PlantSet } from './plant-set.ts';

/** Which plants, where there are more than the bounds: the first ones in this order of their ids. */
export interface Scope {
  readonly filter: PlantFilter;
  readonly order: 'asc' | 'desc';
}

export const all: Scope = { filter: {}, order: 'asc' };

export interface Loading {
  readonly set: PlantSet;
  readonly scope: Scope;
  readonly end?: bigint | undefined;
}

/** Puts the plant into a set, if it belongs there. */
export function putInto({ set, scope: { filter, order }, end }: Loading, id: bigint, state: State): void {
  const isBeyond = end !== undefined && (order === 'asc' ? id > end : id < end);
  set.put(id, state !== undefined && !isBeyond && isFound(state, filter) ? state : undefined);
}
