/** Decides from the name alone whether a search finds it. */
import { hasWord, toPlaces, toWantedWords } from '../../src/store/search-tokens.ts';

export function matchesName(name: string, search = ''): boolean {
  return toWantedWords({ name: search }).every((word) => hasWord(toPlaces(name), word));
}
