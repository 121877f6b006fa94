/** Fields that a client sends more than once, which Node hides. */

/**
 * Returns how often a field occurs: Node keeps only the first of some repeated ones. `name` is in
 * lower case; `rawHeaders` has names and values.
 */
export function countField(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const each = rawHeaders[index] ?? '';
    if (each.length === name.length && each.toLowerCase() === name) count += 1;
  }
  return count;
}
