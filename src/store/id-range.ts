/** Which ids a page of a list may have, and in which order, for every adapter. */
import type { PlantPage } from '../domain/store.ts';
import { int64Max, int64Min } from '../json/int64.ts';

/** Both ends included. Only an ascending range begins above the lowest id. */
export interface IdRange {
  readonly from: bigint;
  readonly to: bigint;
  readonly isDescending: boolean;
}

export const allIds: IdRange = { from: int64Min, to: int64Max, isDescending: false };

/** Undefined if no id can be on the page. */
export function toIdRange({ after, below, order }: Pick<PlantPage, 'after' | 'below' | 'order'>): IdRange | undefined {
  const isDescending = order === 'desc';
  const from = isDescending || after === undefined ? int64Min : after + 1n;
  const last = below === undefined ? int64Max : below - 1n;
  const to = isDescending && after !== undefined && after <= last ? after - 1n : last;
  return from > to ? undefined : { from, to, isDescending };
}
