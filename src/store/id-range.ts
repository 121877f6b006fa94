/** Which ids a page of a list may have, and in which order, for every adapter. */
import type { PlantQuery } from '../domain/store.ts';
import { int64Max, int64Min } from '../json/int64.ts';

/** Both ends included. */
export interface IdRange {
  readonly from: bigint;
  readonly to: bigint;
  readonly isDescending: boolean;
}

export const allIds: IdRange = { from: int64Min, to: int64Max, isDescending: false };

type Bounds = Pick<PlantQuery, 'after' | 'above' | 'below' | 'order'>;

/** Undefined if no id can be on the page. */
export function toIdRange({ after, above, below, order }: Bounds): IdRange | undefined {
  const isDescending = order === 'desc';
  const low = above === undefined ? int64Min : above + 1n;
  const high = below === undefined ? int64Max : below - 1n;
  const from = !isDescending && after !== undefined && after >= low ? after + 1n : low;
  const to = isDescending && after !== undefined && after <= high ? after - 1n : high;
  return from > to ? undefined : { from, to, isDescending };
}
