/** Searches plants that an app has: finds those that the service finds by `search`, without a request. */
import type { Plant } from '../domain/schemas.ts';
import { isPart, isUnspaced, toFirstWords, toWords } from '../domain/search-words.ts';

export { fold } from '../domain/search-words.ts';

/** What a search compares of a plant: the words of its name and tag, each after a space. Slow: keep it with the plant. */
export function toSearchText({ name, tag = '' }: Plant): string {
  return ` ${toWords(`${name} ${tag}`).join(' ')}`;
}

/** Returns which plants a search finds, by their `toSearchText`. An empty search finds all. */
export function toSearchTest(search: string): (text: string) => boolean {
  const parts = toFirstWords(search).map((word) => (isPart(word) || isUnspaced(word) ? word : ` ${word}`));
  return (text) => parts.every((part) => text.includes(part));
}
