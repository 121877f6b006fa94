/** Decides from the name alone whether a search finds it. */
import { toNameWords, toWantedWords } from '../../src/store/search-tokens.ts';

export function matchesName(name: string, search = ''): boolean {
  return toWantedWords(search).every((word) => toNameWords(name).some((other) => other.startsWith(word)));
}
