/** Rows of the list: how they are searched, and in which order they are. Pure. */
import { type PlantFilter, type StoredPlant, toSearchTest, toSearchText } from '../../../src/client/client.ts';
import { parseTypedIds } from '../parse-id.ts';
import type { ListOrder } from '../route.ts';

export interface Row {
  readonly id: bigint;
  readonly plant: StoredPlant;
  /** What a search compares. */
  readonly searchText: string;
}

export function toRow(plant: StoredPlant): Row {
  return { id: plant.id, plant, searchText: toSearchText(plant) };
}

/** Which rows a filter lets through: those that the service finds, and if `hasIds`, those with an id that is searched for. */
export function matches({ search = '', tag, untagged }: PlantFilter, hasIds = true): (row: Row) => boolean {
  const isFound = toSearchTest(search);
  const ids = new Set(hasIds ? parseTypedIds(search) : []);
  return (row) =>
    (tag === undefined || row.plant.tag === tag) &&
    (untagged !== true || row.plant.tag === undefined) &&
    (ids.has(row.id) || isFound(row.searchText));
}

export type Compare = (one: Row, other: Row) => number;

/** As people sort: "Fern 2" is before "Fern 10", whatever the capitals. */
const collator = new Intl.Collator(undefined, { numeric: true });

const byId: Compare = (one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
const byName: Compare = (one, other) =>
  collator.compare(toSorted(one.plant.name), toSorted(other.plant.name)) || byId(one, other);
/** The sign of a hybrid, as in "×Chitalpa", is no part of the order. */
const toSorted = (name: string): string => (name.startsWith('×') ? name.slice(1).trimStart() : name);
/** Those without a tag are last. */
const byTag: Compare = (one, other) => {
  const [tag, otherTag] = [one.plant.tag, other.plant.tag];
  const isLast = Number(tag === undefined) - Number(otherTag === undefined);
  return isLast || collator.compare(tag ?? '', otherTag ?? '') || byId(one, other);
};

export const compares: Readonly<Record<ListOrder, Compare>> = {
  id: byId,
  highest: (one, other) => byId(other, one),
  name: byName,
  'last-name': (one, other) => byName(other, one),
  tag: byTag,
  'last-tag': (one, other) => byTag(other, one),
};

/** Both lists, which are in this order, as one. */
export function merge(kept: readonly Row[], fresh: readonly Row[], compare: Compare): readonly Row[] {
  if (fresh.length === 0) return kept;
  const merged: Row[] = [];
  let at = 0;
  for (const row of fresh) {
    for (let next = kept[at]; next !== undefined && compare(next, row) <= 0; next = kept[++at]) merged.push(next);
    merged.push(row);
  }
  return [...merged, ...kept.slice(at)];
}
