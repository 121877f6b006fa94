/** Serialises values with bigints as JSON. The reader validates them. */

/**
 * Returns the JSON text of a value: a `bigint` as digits, the rest like `JSON.stringify`, without
 * `toJSON` methods.
 *
 * Hand-written because some browsers lack `JSON.rawJSON`. A cycle overflows the stack.
 * @throws TypeError for functions, symbols, and undefined, unless it is a member's value, which is
 * omitted.
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
