/** Values that hold bigints into JSON text. Checking them is left to whoever reads the text. */

/**
 * The JSON text of a value, a `bigint` as its digits; otherwise as `JSON.stringify` writes it, less `toJSON` methods.
 *
 * Written by hand because `JSON.rawJSON` is missing in some browsers. The value must be a tree: a cycle overflows the stack.
 * @throws TypeError for a function or a symbol, and for undefined anywhere but as the value of a member, which is left out.
 */
export function toJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => toJson(item)).join(',')}]`;
  if (typeof value !== 'object')
    throw new TypeError(`Cannot write JSON: a value of type ${typeof value} has no JSON form`);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toJson(member)}`).join(',')}}`;
}
