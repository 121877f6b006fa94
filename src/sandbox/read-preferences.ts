/** The field Prefer (RFC 7240), which only a sandbox reads. */

/** Lists split at commas outside of quotes. A quote that does not end takes the rest. */
const elements = /(?:"(?:[^"\\]|\\.)*"?|[^",])+/g;
/** A name, perhaps a value, and parameters, which no preference of ours has. */
const preference =
  /^[ \t]*([!#$%&'*+.^`|~\w-]+)[ \t]*(?:=[ \t]*(?:([!#$%&'*+.^`|~\w-]+)|"((?:[^"\\]|\\.)*)")?[ \t]*)?(?:;|$)/;

/**
 * Returns values by name in lower case; `''` if absent. The first of equal names counts. Ignores
 * malformed elements. Node joins several fields with commas.
 */
export function readPreferences(field: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [element] of field.matchAll(elements)) {
    const [, name, token, quoted] = preference.exec(element) ?? [];
    if (name === undefined || found.has(name.toLowerCase())) continue;
    found.set(name.toLowerCase(), token ?? quoted?.replaceAll(/\\(.)/g, '$1') ?? '');
  }
  return found;
}
