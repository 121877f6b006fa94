/** Which plants the copy has: all of them, or where that would be too many, the first ones of a filter. */
import type { PlantFilter, StoredPlant } from '../../../src/client/client.ts';
import { parseTypedIds } from '../parse-id.ts';
import { isFound } from './filter.ts';
import { matches, toRow } from './order.ts';
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

/** Puts the plant into a set, if it belongs there: the service finds it, or nothing is left out, and its id is searched for. */
export function putInto({ set, scope: { filter, order }, end }: Loading, id: bigint, state: State): void {
  const isBeyond = end !== undefined && (order === 'asc' ? id > end : id < end);
  const isTyped = (plant: StoredPlant): boolean =>
    end === undefined && parseTypedIds(filter.search ?? '').includes(id) && matches(filter)(toRow(plant));
  set.put(id, state !== undefined && !isBeyond && (isFound(state, filter) || isTyped(state)) ? state : undefined);
}
