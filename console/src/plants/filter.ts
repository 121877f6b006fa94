/** Which plants the filter of the list lets through. */
import type { PlantFilter, StoredPlant } from '../../../src/client/client.ts';

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
  const wanted = toWords(search);
  // As the service: punctuation alone finds nothing.
  if (wanted.length === 0) return search.trim() === '';
  return wanted.every((each) => words.some((word) => word.startsWith(each)));
}

function toWords(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      // As the service: a symbol is a word of its own.
      .match(/[\p{L}\p{N}]+|[\p{S}--\p{ASCII}]/gv) ?? []
  );
}
