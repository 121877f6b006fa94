/** Decides from the name alone whether a search finds it. */
import { toWords } from '../../src/store/search-tokens.ts';

export function matchesName(name: string, search = ''): boolean {
  return toWords(search).every((word) => toWords(name).some((other) => other.startsWith(word)));
}
