/** Ids from text: never through a number, so that no digit is lost. */

const idMax = 2n ** 63n - 1n;

/** The int64 that the text spells; undefined when it is none. */
export function parseId(text: string): bigint | undefined {
  if (!/^(?:0|-?[1-9][0-9]{0,18})$/.test(text)) return undefined;
  const id = BigInt(text);
  return id <= idMax && id >= -idMax - 1n ? id : undefined;
}

/** The same of what people type: with spaces around it, and zeros in front. */
export function parseTypedId(text: string): bigint | undefined {
  return parseId(text.trim().replace(/^(-?)0+(?=\d)/, '$1'));
}

/** Ids of one search: each may be a request. */
const typedMax = 100;

/** The different ids that a search has, separated by spaces, commas or semicolons. None if it has anything else, or too many. */
export function parseTypedIds(search: string): readonly bigint[] {
  const parts = search.split(/[\s,;]+/).filter((part) => part !== '');
  const ids = parts.map(parseTypedId).filter((id) => id !== undefined);
  return ids.length === parts.length && ids.length <= typedMax ? [...new Set(ids)] : [];
}
