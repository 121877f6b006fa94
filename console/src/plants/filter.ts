/** The filter of the list: from the address, and which plants it lets through. */
import type { PlantFilter, StoredPlant } from '../../../src/client/client.ts';
import type { Route } from '../route.ts';

export function toFilter({ search, tag }: Pick<Route, 'search' | 'tag'>): PlantFilter {
  return { ...(search === '' ? {} : { name: search }), ...(tag === undefined ? {} : { tag }) };
}

/** Whether the plant belongs into the list. An approximation by the name: the service has the last word. */
export function matches(plant: StoredPlant, filter: PlantFilter): boolean {
  return matchesTag(plant, filter) && hasWords(plant.name, filter.name);
}

export function matchesTag({ tag }: StoredPlant, filter: PlantFilter): boolean {
  return filter.tag === undefined || filter.tag === tag;
}

/** Whether each word of the search begins a word of the name. */
function hasWords(name: string, search = ''): boolean {
  const words = toWords(name);
  return toWords(search).every((wanted) => words.some((word) => word.startsWith(wanted)));
}

function toWords(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
