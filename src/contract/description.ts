/** Reads the description as plain data, without rounding integers. Does not interpret it. */

/**
 * A value of the description. Integers beyond a double are `bigint`, all other numbers `number`.
 */
export type Value = null | boolean | number | bigint | string | readonly Value[] | Members;

export interface Members {
  readonly [name: string]: Value | undefined;
}

/** @throws Error if the text is not JSON, or not one object. */
export function parseDescription(jsonText: string): Members {
  const document = parse(jsonText, toExact);
  if (!isMembers(document)) throw new Error('Cannot read description: it must be an object');
  return document;
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the members of an object; an empty object for other values. */
export function membersOf(value: Value | undefined): Members {
  return isMembers(value) ? value : {};
}

/**
 * Returns the members of a value, after following its `$ref`.
 *
 * @throws Error if the reference is dangling or leaves the document.
 */
export function resolve(document: Members, value: Value | undefined): Members {
  const members = membersOf(value);
  const reference = members['$ref'];
  if (typeof reference !== 'string') return members;
  if (!reference.startsWith('#/')) throw new Error(`Cannot follow ${reference}: it must begin with "#/"`);
  let target: Value | undefined = document;
  for (const segment of reference.slice(2).split('/')) {
    target = membersOf(target)[segment.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  if (target === undefined) throw new Error(`Cannot follow ${reference}: nothing is there`);
  return resolve(document, target);
}

type Reviver = (name: string, value: Value, context: { readonly source?: string }) => Value;

// TypeScript does not know the reviver's `context` parameter.
const parse = JSON.parse as (text: string, reviver: Reviver) => Value;

function toExact(_name: string, value: Value, { source = '' }: Parameters<Reviver>[2]): Value {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(source) : value;
}
