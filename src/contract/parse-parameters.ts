/** Compiles the parameters of an operation into a parser. Does not interpret values. */
import { ServiceError } from '../domain/errors.ts';
import { describeInvalidInt64, parseInt64 } from '../json/int64.ts';
import { membersOf, resolve } from './description.ts';
import type { JsonObject, JsonValue } from '../json/parse-json.ts';
import type { Operation } from './operations.ts';
import { parseVersionList } from './parse-version-list.ts';
import { queryInvalid, readQuery } from './read-query.ts';
import type { ValidationError, SchemaCompiler } from './schema-compiler.ts';

/** The parts of a request that have parameters. */
export interface RawParameters {
  /** The parameters in the path, by name. */
  readonly path: Readonly<Record<string, string>>;
  /** The text after `?`, as sent; empty if there is none. */
  readonly query: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Returns one object with values by parameter; If-Match is `ifMatch`. Undefined without any. */
export type ParseParameters = (raw: RawParameters) => unknown;

/**
 * The parser throws ServiceError `path_id_invalid`, `query_invalid` or `condition_invalid`, the
 * first in this order. Fills in defaults; omits absent values without one.
 *
 * @throws Error if the description has a kind of parameter that is not supported.
 */
export function compileParameters(
  document: JsonObject,
  operation: Operation,
  compiler: SchemaCompiler,
): ParseParameters {
  const { operationId, definition } = operation;
  const list = definition['parameters'];
  if (!Array.isArray(list)) return () => undefined;
  const parameters = list.map((each: JsonValue) => readParameter(document, each));
  for (const parameter of parameters) checkKind(operationId, parameter);
  const segments = parameters
    .filter(({ location }) => location === 'path')
    .map(({ name, schema }) => ({ name, parse: schema['type'] === 'string' ? (text: string) => text : parseId }));
  const parseQuery = compileQuery(
    parameters.filter(({ location }) => location === 'query'),
    compiler,
  );
  const fields = parameters
    .filter(({ location }) => location === 'header')
    .map((each) => ({
      field: each.name.toLowerCase(),
      member: toMemberName(each.name),
      parse: isCondition(each) ? parseVersionList : compileValue(each, compiler),
    }));
  return ({ path, query, headers }) => {
    const values: Record<string, unknown> = {};
    for (const { name, parse } of segments) values[name] = parse(path[name] ?? '');
    parseQuery?.(query, values);
    for (const { field, member, parse } of fields) {
      const text = headers[field];
      if (text !== undefined) values[member] = parse(typeof text === 'string' ? text : text.join(', '));
    }
    return values;
  };
}

interface Parameter {
  readonly name: string;
  readonly location: string;
  readonly schema: JsonObject;
  /** The schema as in the description, or a reference. */
  readonly schemaValue: JsonValue;
  readonly definition: JsonObject;
}

function readParameter(document: JsonObject, value: JsonValue): Parameter {
  const definition = resolve(document, value);
  const schemaValue = definition['schema'] ?? {};
  return {
    name: toText(definition['name']),
    location: toText(definition['in']),
    schema: resolve(document, schemaValue),
    schemaValue,
    definition,
  };
}

/** If-Match and If-None-Match. */
function isCondition({ schemaValue }: Parameter): boolean {
  return membersOf(schemaValue)['$ref'] === '#/components/schemas/VersionList';
}

/** What is read of a parameter, or says nothing about its values: an empty one is a value like others. */
const knownMembers = new Set(
  'name in schema style explode required allowEmptyValue description example examples deprecated'.split(' '),
);
/** Keywords that a path parameter may have: only the type of its value is checked. */
const knownInPath = new Set(['type', 'format', 'minimum', 'maximum', 'description', 'examples']);
/** By location, how the values are written; the defaults of OpenAPI. */
const styles: Readonly<Record<string, { readonly style: string; readonly explode: boolean } | undefined>> = {
  path: { style: 'simple', explode: false },
  query: { style: 'form', explode: true },
  header: { style: 'simple', explode: false },
};

function checkKind(operationId: string, parameter: Parameter): void {
  const { name, location, schema, definition } = parameter;
  const type = schema['type'];
  const isKnown =
    (location === 'path' && (type === 'string' || (type === 'integer' && schema['format'] === 'int64'))) ||
    (location === 'query' && (isValue(type) || (type === 'array' && isValue(membersOf(schema['items'])['type'])))) ||
    (location === 'header' && (type === 'string' || isCondition(parameter)));
  if (!isKnown) throw new Error(`Cannot parse parameter ${name} of ${operationId}: its kind is unknown`);
  const { style, explode } = styles[location] ?? {};
  const odd =
    Object.entries(definition).find(
      ([member, value]) =>
        !knownMembers.has(member) ||
        (member === 'style' && value !== style) ||
        (member === 'explode' && value !== explode) ||
        // Nothing checks that others are there.
        (member === 'required' && value !== (location === 'path')),
    ) ?? Object.entries(schema).find(([keyword]) => location === 'path' && !knownInPath.has(keyword));
  if (odd !== undefined)
    throw new Error(`Cannot parse parameter ${name} of ${operationId}: its "${odd[0]}" is unknown`);
}

function isValue(type: JsonValue | undefined): boolean {
  return type === 'integer' || type === 'boolean' || type === 'string';
}

function parseId(text: string): bigint {
  const id = parseInt64(text);
  if (id === undefined) throw new ServiceError('path_id_invalid', { detail: `It ${describeInvalidInt64(text)}` });
  return id;
}

/** Adds the query's values to `values`; undefined if the operation has no query. */
function compileQuery(
  parameters: readonly Parameter[],
  compiler: SchemaCompiler,
): ((query: string, values: Record<string, unknown>) => void) | undefined {
  if (parameters.length === 0) return undefined;
  const readers = parameters.map((each) => ({
    name: each.name,
    fallback: each.schema['default'],
    parse: isList(each) ? compileList(each, compiler) : compileFirst(each, compiler),
  }));
  const known = new Map(parameters.map((each) => [each.name, isList(each)]));
  const none: ReturnType<typeof readQuery> = new Map();
  return (query, values) => {
    const texts = query === '' ? none : readQuery(query, known);
    for (const { name, fallback, parse } of readers) {
      const given = texts.get(name);
      const value = given === undefined ? fallback : parse(given);
      if (value !== undefined) values[name] = value;
    }
  };
}

function isList({ schema }: Parameter): boolean {
  return schema['type'] === 'array';
}

function compileFirst(parameter: Parameter, compiler: SchemaCompiler): (texts: readonly string[]) => unknown {
  const parse = compileValue(parameter, compiler);
  return ([text = '']) => parse(text);
}

/** Compiles a parameter that can be repeated; it has all values. */
function compileList({ name, schema, schemaValue }: Parameter, compiler: SchemaCompiler) {
  const validate = compiler.compile(schemaValue);
  const items = membersOf(schema['items']);
  const convert = converters[toText(items['type'])] ?? ((text) => text);
  return (texts: readonly string[]): unknown => {
    const values = texts.map(convert);
    const error = validate(values);
    if (error === undefined) return values;
    const [at] = error.path;
    if (at !== undefined) throw queryInvalid(name, describeError(error, items, texts[Number(at)] ?? ''));
    if (error.keyword === 'uniqueItems') throw queryInvalid(name, 'must not have the same value twice');
    throw queryInvalid(name, `must be given at most ${toText(schema['maxItems'])} times`);
  };
}

function compileValue({ name, schema, schemaValue }: Parameter, compiler: SchemaCompiler): Parse {
  const validate = compiler.compile(schemaValue);
  const convert = converters[toText(schema['type'])] ?? ((text) => text);
  const isSmall = schema['format'] === 'int32';
  return (text) => {
    const value = convert(text);
    const error = validate(value);
    if (error !== undefined) throw queryInvalid(name, describeError(error, schema, text));
    return isSmall ? Number(value) : value;
  };
}

type Parse = (text: string) => unknown;

/** Converters by type. Invalid text stays text, which the schema rejects. */
const converters: Readonly<Record<string, Parse | undefined>> = {
  integer: (text) => parseInt64(text) ?? text,
  boolean: (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
};

function describeError({ keyword, params }: ValidationError, schema: JsonObject, text: string): string {
  switch (keyword) {
    case 'numeric':
      if (!/^(?:0|-?[1-9][0-9]*)$/.test(text)) return describeInvalidInt64(text);
      return `must be an integer from ${toText(schema['minimum'])} to ${toText(schema['maximum'])}`;
    case 'enum':
      return `must be one of ${(schema['enum'] as readonly string[]).join(', ')}`;
    case 'type':
      return 'must be true or false';
    case 'codePointsMax':
      return `must have at most ${toText(params['limit'])} characters (Unicode code points)`;
    case 'nulFree':
      return 'must not hold the character U+0000';
    default:
      // Cursors and positions have no example: clients make none.
      return schema['examples'] === undefined
        ? 'must be a value that the service gave'
        : `must match the pattern ${toText(schema['pattern'])}`;
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
}

/** If-None-Match becomes ifNoneMatch. */
function toMemberName(field: string): string {
  const [first = '', ...others] = field.split('-');
  return first.toLowerCase() + others.join('');
}
