/** Which plants the copy has: all of them, or where that would be too many, the first ones that the service finds. */
import type { PlantFilter, StoredPlant } from '../../../src/client/client.ts';
import { unspaced } from '../../../src/domain/unspaced.ts';
import { parseTypedIds } from '../parse-id.ts';
import { fold, matches, type Row, toRow } from './order.ts';
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

/** Puts the plant there if it belongs there: the service finds it, or nothing is left out, and its id is searched for. Otherwise removes it. */
export function putInto({ rows, scope: { filter, order }, end }: Loading, id: bigint, state: State): void {
  const isBeyond = end !== undefined && (order === 'asc' ? id > end : id < end);
  const isTyped = (plant: StoredPlant): boolean =>
    end === undefined && parseTypedIds(filter.search ?? '').includes(id) && matches(filter)(toRow(plant));
  if (state !== undefined && !isBeyond && (isFound(state, filter) || isTyped(state))) rows.set(id, toRow(state));
  else rows.delete(id);
}

/** An approximation: the service has the last word. */
export function isFound(plant: StoredPlant, { search, ...others }: PlantFilter): boolean {
  return matches(others)(toRow(plant)) && (search === undefined || hasWords(plant, search));
}

const pattern = new RegExp(`${unspaced.source}+|[[\\p{L}\\p{N}]--${unspaced.source}]+|[\\p{S}--\\p{ASCII}]`, 'gv');

/** Whether each word of the search is in a word of the name or the tag; one of one or two letters must begin it. */
function hasWords({ name, tag = '' }: StoredPlant, search: string): boolean {
  const words = toWords(`${name} ${tag}`);
  const wanted = toWords(search);
  // As the service: punctuation alone finds nothing.
  if (wanted.length === 0) return search.trim() === '';
  return wanted.every((each) =>
    words.some((word) => (/.{3}/u.test(each) || unspaced.test(each) ? word.includes(each) : word.startsWith(each))),
  );
}

function toWords(text: string): string[] {
  // As the service: a symbol beyond ASCII is a word of its own, and unspaced letters are apart from others.
  return fold(text).match(pattern) ?? [];
}
