/** Ids from what people type. */
import { parseInt64 } from '../../src/client/client.ts';

/** The int64 that the text spells, perhaps with spaces around it, and zeros in front. */
export function parseTypedId(text: string): bigint | undefined {
  return parseInt64(text.trim().replace(/^(-?)0+(?=\d)/, '$1'));
}

/** Ids of one search: each may be a request. */
const typedMax = 100;

/** The different ids that a search has, separated by spaces, commas or semicolons. None if it has anything else, or too many. */
export function parseTypedIds(search: string): readonly bigint[] {
  const parts = search.split(/[\s,;]+/).filter((part) => part !== '');
  const ids = parts.map(parseTypedId).filter((id) => id !== undefined);
  return ids.length === parts.length && ids.length <= typedMax ? [...new Set(ids)] : [];
}
