/** Which plants the filter of the list lets through. */
import type { PlantFilter, StoredPlant } from '../../../src/client/client.ts';
import { unspaced } from '../../../src/domain/unspaced.ts';

/** Whether the plant belongs into the list. An approximation: the service has the last word. */
export function matches(plant: StoredPlant, filter: PlantFilter): boolean {
  return matchesTag(plant, filter) && (filter.search === undefined || hasWords(plant, filter.search));
}

export function matchesTag({ tag }: StoredPlant, filter: PlantFilter): boolean {
  if (filter.untagged === true && tag !== undefined) return false;
  return filter.tag === undefined || filter.tag === tag;
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
  return (
    text
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      // As the service: a symbol beyond ASCII is a word of its own, and unspaced letters are apart from others.
      .match(pattern) ?? []
  );
}
