/** Serialises values with bigints as JSON. The reader validates them. */

/**
 * Characters that common readers of lines take for a line ending (U+0085, U+2028, U+2029), that
 * control a terminal (U+007F to 9F), or that change the direction of a text, in which they can
 * hide.
 */
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const everyUnsafe = new RegExp(unsafe, 'g');

/** Escapes unsafe characters in JSON. They can only be inside of its strings. */
export function escapeUnsafe(json: string): string {
  return unsafe.test(json) ? json.replaceAll(everyUnsafe, toEscape) : json;
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Returns the JSON text of a value: a `bigint` as digits, the rest like `JSON.stringify`, without
 * `toJSON` methods, and with escapes for unsafe characters.
 *
 * Hand-written because some browsers lack `JSON.rawJSON`. A cycle overflows the stack.
 * @throws TypeError for functions, symbols, and undefined, unless it is a member's value, which is
 * omitted.
 */
export function toJson(value: unknown): string {
  return escapeUnsafe(write(value));
}

function write(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => write(item)).join(',')}]`;
  if (typeof value !== 'object')
    throw new TypeError(`Cannot write JSON: a value of type ${typeof value} has no JSON form`);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join(',')}}`;
}
