/** Finds the documented examples of an operation's responses, with their header fields. */
import type { JsonObject, JsonValue } from '../json/parse-json.ts';
import { toJson } from '../json/to-json.ts';
import { membersOf, resolve } from '../contract/description.ts';
import type { Operation } from '../contract/operations.ts';

export interface Example {
  readonly status: number;
  /** The name of the example in the description; undefined for a response without content. */
  readonly name: string | undefined;
  /** By name in lower case: those with an example, and Content-Type. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for a response without content. */
  readonly content: string | undefined;
}

/** What to find; what is absent is chosen: the first success, the first example. */
export interface Wanted {
  readonly status?: number | undefined;
  readonly name?: string | undefined;
  /** Chooses one of two or more media types of a response. */
  readonly choose: (mediaTypes: readonly string[]) => string | undefined;
}

/** Returns undefined if the operation does not document what is wanted. */
export function findExample(
  document: JsonObject,
  { definition }: Operation,
  { status: wanted, name, choose }: Wanted,
): Example | undefined {
  for (const [status, reference] of Object.entries(membersOf(definition['responses']))) {
    if (wanted !== undefined && Number(status) !== wanted) continue;
    const response = resolve(document, reference);
    const content = membersOf(response['content']);
    const types = Object.keys(content).filter((type) => {
      const examples = examplesOf(content[type]);
      return name === undefined ? Object.keys(examples).length > 0 : Object.hasOwn(examples, name);
    });
    if (types.length === 0 && name !== undefined) continue;
    const type = types.length < 2 ? types[0] : (choose(types) ?? types[0]);
    return toExample(document, Number(status), response, type, name);
  }
  return undefined;
}

function toExample(
  document: JsonObject,
  status: number,
  response: JsonObject,
  type: string | undefined,
  wanted: string | undefined,
): Example {
  const examples = examplesOf(type === undefined ? undefined : membersOf(response['content'])[type]);
  const name = wanted ?? Object.keys(examples)[0];
  const value = name === undefined ? undefined : resolve(document, examples[name])['value'];
  const headers = Object.entries(membersOf(response['headers'])).flatMap(([field, reference]) => {
    const text = toFieldValue(resolve(document, reference), name);
    return text === undefined ? [] : [[field.toLowerCase(), text] as const];
  });
  return {
    status,
    name,
    headers: { ...(type === undefined ? {} : { 'content-type': type }), ...Object.fromEntries(headers) },
    content: value === undefined ? undefined : typeof value === 'string' ? value : toJson(value),
  };
}

function examplesOf(media: JsonValue | undefined): JsonObject {
  return membersOf(membersOf(media)['examples']);
}

/** Returns the field's example of the same name, or its only one: without, it belongs to others. */
function toFieldValue(header: JsonObject, name: string | undefined): string | undefined {
  const value = membersOf(membersOf(header['examples'])[name ?? ''])['value'] ?? header['example'];
  return value === undefined ? undefined : typeof value === 'string' ? value : toJson(value);
}
