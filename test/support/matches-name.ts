/** Whether a name is found by a search, decided on the name itself. */
import { toWords } from '../../src/store/search-tokens.ts';

export function matchesName(name: string, search = ''): boolean {
  return toWords(search).every((word) => toWords(name).some((other) => other.startsWith(word)));
}
