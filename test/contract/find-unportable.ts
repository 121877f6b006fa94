/**
 * Finds what tools of other languages misread in the text of a description, although OpenAPI 3.1 allows it: YAML that
 * only a parser of YAML 1.2 reads as meant, and schemas and patterns that generators of code ignore or refuse.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Document, isCollection, isScalar, parse, parseDocument, visit } from 'yaml';

type Json = Readonly<Record<string, unknown>>;
type Report = (problem: string) => void;

/** What every generator of code understands. */
const keywords = new Set(
  [
    [
      '$ref',
      'type',
      'format',
      'enum',
      'const',
      'default',
      'allOf',
      'oneOf',
      'discriminator',
      'description',
      'examples',
    ],
    ['properties', 'required', 'additionalProperties', 'minProperties', 'items', 'minItems', 'maxItems', 'uniqueItems'],
    ['minimum', 'maximum', 'minLength', 'maxLength', 'pattern'],
  ].flat(),
);

/**
 * What ECMA 262, RE2, PCRE, Python, Ruby and Java read alike: no classes such as \s and \d, which differ in Unicode, no
 * look-around and no reference to a group. ASCII alone: PHP and Ruby compare bytes, so that other characters are several.
 */
const portablePattern = /^(?:\\x[0-7][0-9a-f]|\\[\\^$.*+?()[\]{}|]|\((?!\?)|(?![\\(])[ -~])*$/;

/** Line breaks of YAML 1.1 alone, and what its parsers refuse. */
const oddCharacter = /[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;

/** @returns a line for each problem, with its place. */
export function findUnportable(yaml: string): string[] {
  const problems: string[] = [];
  const report: Report = (problem) => problems.push(problem);
  const document = parse(yaml, { intAsBigInt: true }) as Json;
  checkYaml(yaml, document, report);
  const components = document['components'] as Readonly<Record<string, Readonly<Record<string, Json>>>>;
  const { schemas = {} } = components;
  for (const [kind, named] of Object.entries(components)) checkNames(kind, Object.keys(named), report);
  checkTags(document, report);
  checkNode(document, '#', schemas, report);
  return problems;
}

function checkYaml(yaml: string, document: Json, report: Report): void {
  const [line] = yaml.split('\n').filter((each) => oddCharacter.test(each));
  if (line !== undefined) report(`an odd character: ${line}`);
  const older = parseDocument(yaml, { version: '1.1', intAsBigInt: true });
  for (const { message } of older.errors) report(`YAML 1.1: ${message}`);
  checkScalars(older, report);
  for (const place of findDifferences(document, older.toJS(), '#')) report(`${place}: another value in YAML 1.1`);
}

/** Parsers of YAML 1.1 end a plain scalar of a flow collection at these characters, and give `=` a type of its own. */
function checkScalars(document: Document, report: Report): void {
  visit(document, {
    Scalar(_key, { type, source = '' }, path) {
      if (type !== 'PLAIN') return;
      const isInFlow = path.some((node) => isCollection(node) && node.flow === true);
      if (source === '=' || (isInFlow && /[?:]/.test(source))) report(`quote the text ${source}`);
    },
    Pair(_key, { key }) {
      if (isScalar(key) && key.source === '<<') report('quote the member <<');
    },
  });
}

function findDifferences(a: unknown, b: unknown, place: string): string[] {
  if (isDeepStrictEqual(a, b)) return [];
  if (!isJson(a) || !isJson(b) || Object.keys(a).join('\n') !== Object.keys(b).join('\n')) return [place];
  return Object.keys(a).flatMap((name) => findDifferences(a[name], b[name], `${place}/${name}`));
}

/** Names become those of types, in which only letters and digits count. */
function checkNames(kind: string, names: readonly string[], report: Report): void {
  for (const [, same] of Map.groupBy(names, (name) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')))
    if (same.length > 1) report(`${kind}: one type for ${same.join()}`);
}

/** A tag becomes a class: openapi-generator makes one of the paths and one of the webhooks, and keeps the latter. */
function checkTags(document: Json, report: Report): void {
  const [called = [], sent = []] = ['paths', 'webhooks'].map((section) =>
    Object.values((document[section] ?? {}) as Record<string, Json>)
      .flatMap((path) => Object.values(path))
      .flatMap((operation) => (isJson(operation) ? ((operation['tags'] ?? []) as string[]) : [])),
  );
  for (const tag of new Set(sent)) if (called.includes(tag)) report(`webhooks: the paths have the tag ${tag}, too`);
}

/** Looks for schemas and references in all that is no example. */
function checkNode(node: unknown, place: string, schemas: Readonly<Record<string, Json>>, report: Report): void {
  if (!isJson(node)) return;
  const others = Object.keys(node).filter((name) => name !== '$ref' && name !== 'description');
  if ('$ref' in node && others.length > 0) report(`${place}: ${others.join()} beside $ref`);
  for (const [name, value] of Object.entries(node)) {
    const inner = `${place}/${name}`;
    if (name === 'example' || name === 'examples') continue;
    else if (name === 'schema' || name === 'x-row-schema') checkSchema(value as Json, inner, schemas, report);
    else if (inner === '#/components/schemas')
      for (const [key, each] of Object.entries(schemas)) checkSchema(each, `${inner}/${key}`, schemas, report);
    else checkNode(value, inner, schemas, report);
  }
}

function checkSchema(schema: Json, place: string, schemas: Readonly<Record<string, Json>>, report: Report): void {
  const { type, pattern, oneOf, allOf, items, properties, additionalProperties = true } = schema;
  const names = Object.keys(schema);
  for (const name of names) if (!keywords.has(name)) report(`${place}: generators ignore ${name}`);
  if ('$ref' in schema && names.some((name) => name !== '$ref' && name !== 'description'))
    report(`${place}: ${names.join()} beside $ref`);
  if (type !== 'string' && ('const' in schema || 'enum' in schema))
    report(`${place}: values of another type than string`);
  // Clients of PHP send it, as 0.
  if (type === 'boolean' && 'default' in schema) report(`${place}: a default of a boolean`);
  if (Array.isArray(type) && !(type.length === 2 && type[1] === 'null')) report(`${place}: a list of types`);
  if (typeof pattern === 'string' && !portablePattern.test(pattern)) report(`${place}: a pattern of one language`);
  if (typeof additionalProperties !== 'boolean') report(`${place}: a schema of additional properties`);
  if (oneOf !== undefined) checkUnion(schema, place, schemas, report);
  const parts = [...((oneOf ?? []) as Json[]), ...((allOf ?? []) as Json[]), ...(isJson(items) ? [items] : [])];
  for (const [index, part] of parts.entries()) checkSchema(part, `${place}/${index}`, schemas, report);
  for (const [name, member] of Object.entries((properties ?? {}) as Record<string, Json>))
    checkSchema(member, `${place}/${name}`, schemas, report);
}

/** Each schema of a union has a name, and the type of a value or the mapped value of a member says which one it is of. */
function checkUnion(union: Json, place: string, schemas: Readonly<Record<string, Json>>, report: Report): void {
  const references = (union['oneOf'] as Json[]).map(({ $ref }) => $ref as string | undefined);
  const members = references.map((reference) => schemas[reference?.replace('#/components/schemas/', '') ?? '']);
  if (members.includes(undefined)) return report(`${place}: a schema of the union has no name`);
  const discriminator = union['discriminator'] as { propertyName: string; mapping?: Json } | undefined;
  if (discriminator === undefined) {
    const types = members.map((member) => member?.['type']);
    if (types.includes(undefined) || new Set(types).size < types.length) report(`${place}: a discriminator is missing`);
    return;
  }
  const { propertyName, mapping = {} } = discriminator;
  const values = members.flatMap((member, index) => {
    const choice = (member?.['properties'] as Record<string, Json> | undefined)?.[propertyName];
    return ((choice?.['enum'] ?? []) as string[]).map((value) => [value, references[index]]);
  });
  if (!isDeepStrictEqual(mapping, Object.fromEntries(values))) report(`${place}: the mapping differs from the values`);
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}
