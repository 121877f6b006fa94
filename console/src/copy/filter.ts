/** Which plants the service finds: where the copy has only those, a change may bring or take one. */
import type { PlantFilter, StoredPlant } from '../../../src/client/client.ts';
import { fold, matches, toRow } from './order.ts';
import { unspaced } from '../../../src/domain/unspaced.ts';

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
