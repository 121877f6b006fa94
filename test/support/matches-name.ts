/** Decides from the name alone whether a search finds it. */
import { hasWord, toIndexedWords, toWantedWords } from '../../src/store/search-terms.ts';

export function matchesName(name: string, search = ''): boolean {
  return toWantedWords({ name: search }).every((word) => hasWord(toIndexedWords(name), word));
}
