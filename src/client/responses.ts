/** Parses responses into the schemas of the description, with exact ids. Refuses a response of another shape. */
import type { Author, Change, ImportError, ImportReport, Plant, StoredPlant, TagCount } from '../domain/schemas.ts';
import { type JsonObject, type JsonValue, parseJson } from '../json/parse-json.ts';
import { ConnectionError } from './errors.ts';
import type { PlantVersion } from './options.ts';

/** Bytes that are no UTF-8 are refused: a replaced character would be another name. */
export function openDecoder(): TextDecoder {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
}

/** @param stream whether the bytes are a part of a text, which may end inside a character. */
export function decode(bytes: Uint8Array, decoder: TextDecoder, stream = false): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch (error) {
    throw new ConnectionError('response', 'Cannot use the response: it is not UTF-8', error);
  }
}

/** @throws ConnectionError when the text is not what `to` wants: so do all functions here. */
function parse<Value>(text: string, wanted: string, to: (value: JsonValue) => Value | undefined): Value {
  let value: Value | undefined;
  let cause: unknown;
  try {
    value = to(parseJson(text));
  } catch (error) {
    cause = error;
  }
  if (value === undefined)
    throw new ConnectionError('response', `Cannot use the response: it is not ${wanted} of a plant store`, cause);
  return value;
}

/** Parses the response of an operation that the client has no method for. */
export function parseValue(text: string): JsonValue {
  return parse(text, 'JSON', (value) => value);
}

export function parsePlant(text: string): Plant {
  return parse(text, 'a plant', toPlant);
}

export function parseStoredPlant(text: string): StoredPlant {
  return parse(text, 'a plant', toStoredPlant);
}

/** Parses the response to a request for one plant. */
export function parseVersion({ headers, text }: { readonly headers: Headers; readonly text: string }): PlantVersion {
  // The service sends strong ones only. A proxy that compresses makes them weak, and a weak one matches nothing in If-Match.
  const etag = headers.get('etag')?.replace(/^W\//, '');
  if (etag === undefined) throw new ConnectionError('response', 'Cannot use the response: it has no ETag');
  return { plant: parseStoredPlant(text), etag };
}

export function parsePlants(text: string): readonly StoredPlant[] {
  return parse(text, 'a list', (value) => toArray(value, toStoredPlant));
}

export function parseTagCounts(text: string): readonly TagCount[] {
  return parse(text, 'a list of tags', (value) => toArray(value, toTagCount));
}

export function parseChanges(text: string): readonly Change[] {
  return parse(text, 'a list of changes', (value) => toArray(value, toChange));
}

/** @param field of the response, digits. */
export function parseCount(field: string | null): bigint {
  return parse(field ?? '', 'a count', (value) => (typeof value === 'bigint' ? value : undefined));
}

export function parseReport(text: string): ImportReport {
  return parse(text, 'an import report', toReport);
}

/** undefined when the text is no error of a plant store, such as the page of a proxy. */
export function parseErrorBody(text: string): { readonly number: number; readonly message: string } | undefined {
  try {
    const { error, message } = toObject(parseJson(text)) ?? {};
    return typeof error === 'bigint' && typeof message === 'string' ? { number: Number(error), message } : undefined;
  } catch {
    return undefined;
  }
}

function toObject(value: JsonValue): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

function toArray<Item>(value: JsonValue, to: (item: JsonValue) => Item | undefined): Item[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items: Item[] = [];
  for (const each of value) {
    const item = to(each);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items;
}

function toPlant(value: JsonValue): Plant | undefined {
  const { name, tag } = toObject(value) ?? {};
  if (typeof name !== 'string' || (tag !== undefined && typeof tag !== 'string')) return undefined;
  return tag === undefined ? { name } : { name, tag };
}

function toStoredPlant(value: JsonValue): StoredPlant | undefined {
  const id = toObject(value)?.['id'];
  const plant = toPlant(value);
  return typeof id === 'bigint' && plant !== undefined ? { id, ...plant } : undefined;
}

function toTagCount(value: JsonValue): TagCount | undefined {
  const { tag, plants } = toObject(value) ?? {};
  return typeof tag === 'string' && typeof plants === 'bigint' ? { tag, plants } : undefined;
}

function toChange(value: JsonValue): Change | undefined {
  const { position, at, kind, id, plant, before, by } = toObject(value) ?? {};
  if (typeof position !== 'string' || typeof at !== 'string' || typeof id !== 'bigint') return undefined;
  if (kind !== 'created' && kind !== 'replaced' && kind !== 'deleted') return undefined;
  return {
    position,
    at,
    kind,
    id,
    ...toOptional('plant', plant, toStoredPlant),
    ...toOptional('before', before, toStoredPlant),
    ...toOptional('by', by, toAuthor),
  };
}

function toAuthor(value: JsonValue): Author | undefined {
  const { token, name } = toObject(value) ?? {};
  return typeof token === 'string' && typeof name === 'string' ? { token, name } : undefined;
}

/** An object with the member, or an empty one if there is none. @throws TypeError if it is invalid. */
function toOptional<Name extends string, Value>(
  name: Name,
  value: JsonValue | undefined,
  to: (value: JsonValue) => Value | undefined,
): Partial<Record<Name, Value>> {
  const members: Partial<Record<Name, Value>> = {};
  if (value === undefined) return members;
  const member = to(value);
  if (member === undefined) throw new TypeError(`"${name}" is invalid`);
  members[name] = member;
  return members;
}

function toReport(value: JsonValue): ImportReport | undefined {
  const { read, created, unchanged, replaced, skipped, refused, errors = null } = toObject(value) ?? {};
  const rows = toArray(errors, toImportError);
  return typeof read === 'bigint' &&
    typeof created === 'bigint' &&
    typeof unchanged === 'bigint' &&
    typeof replaced === 'bigint' &&
    typeof skipped === 'bigint' &&
    typeof refused === 'bigint' &&
    rows !== undefined
    ? { read, created, unchanged, replaced, skipped, refused, errors: rows }
    : undefined;
}

function toImportError(value: JsonValue): ImportError | undefined {
  const { line, error, message } = toObject(value) ?? {};
  return typeof line === 'bigint' && typeof error === 'bigint' && typeof message === 'string'
    ? { line, error: Number(error), message }
    : undefined;
}
