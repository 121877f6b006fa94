/** Reads the description as plain data, without rounding integers. Does not interpret it. */
import type { JsonObject, JsonValue } from '../json/parse-json.ts';

/**
 * Returns the description: integers beyond a double as `bigint`, all other numbers as `number`.
 * @throws Error if the text is not JSON, or not one object.
 */
export function parseDescription(jsonText: string): JsonObject {
  const document = parse(jsonText, toExact);
  if (!isJsonObject(document)) throw new Error('Cannot read description: it must be an object');
  return document;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the members of an object; an empty object for other values. */
export function membersOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/**
 * Returns the members of a value, after following its `$ref`.
 *
 * @throws Error if the reference is dangling or leaves the document.
 */
export function resolve(document: JsonObject, value: JsonValue | undefined): JsonObject {
  const members = membersOf(value);
  const reference = members['$ref'];
  if (typeof reference !== 'string') return members;
  if (!reference.startsWith('#/')) throw new Error(`Cannot follow ${reference}: it must begin with "#/"`);
  let target: JsonValue | undefined = document;
  for (const segment of reference.slice(2).split('/')) {
    target = membersOf(target)[unescapePointer(segment)];
  }
  if (target === undefined) throw new Error(`Cannot follow ${reference}: nothing is there`);
  return resolve(document, target);
}

/** Decodes a segment of a JSON Pointer (RFC 6901, section 4). */
export function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

type Reviver = (name: string, value: JsonValue, context: { readonly source?: string }) => JsonValue;

// TypeScript does not know the reviver's `context` parameter.
const parse = JSON.parse as (text: string, reviver: Reviver) => JsonValue;

function toExact(_name: string, value: JsonValue, { source = '' }: Parameters<Reviver>[2]): JsonValue {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(source) : value;
}
