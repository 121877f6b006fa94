/**
 * Compiles schemas of the description with Ajv, for exactly parsed JSON with `bigint` integers. A
 * valid int32 or number becomes a `number`, as its type says; nothing else changes. Does not
 * choose error codes.
 */
import { createRequire } from 'node:module';
import type * as Ajv from 'ajv/dist/2020.js';
import type { Ajv2020, ErrorObject, KeywordCxt, KeywordErrorDefinition } from 'ajv/dist/2020.js';
import { isJsonObject, membersOf, unescapePointer } from './description.ts';
import type { JsonObject, JsonValue } from '../json/parse-json.ts';
import { int64Max, int64Min } from '../json/int64.ts';

/** The first error of a value. */
export interface ValidationError {
  /** The violated keyword: `required`, `type`, `numeric`, `codePointsMax` or a usual one. */
  readonly keyword: string;
  /** Member names and indices that lead to the invalid value; empty for the top-level value. */
  readonly path: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
  /** Ajv's message: what the schema requires, never the value itself. */
  readonly message: string;
}

/** Returns the first error, or undefined if the value is valid. */
export type Validate = (value: unknown) => ValidationError | undefined;

const require = createRequire(import.meta.url);
let ajv: typeof Ajv | undefined;

/** Loads Ajv late: it is a quarter of the code of the service, and no start needs it. */
function loadAjv(): typeof Ajv {
  return (ajv ??= require('ajv/dist/2020.js') as typeof Ajv);
}

/** Key of the description's schemas in Ajv. */
const schemasId = 'description';

/** The value of our keyword for numbers. */
interface Numeric {
  /** Inclusive. */
  readonly least: bigint | number;
  readonly most: bigint | number;
  readonly becomes: 'bigint' | 'integer' | 'number';
  readonly isNullable: boolean;
}

/** Also for integers without a format: exact parsing returns no larger ones. */
const int64Range = { least: int64Min, most: int64Max, becomes: 'bigint' } as const;
const int32Range = { least: -(2 ** 31), most: 2 ** 31 - 1, becomes: 'integer' } as const;
const numberRange = { least: -Number.MAX_VALUE, most: Number.MAX_VALUE, becomes: 'number' } as const;

export class SchemaCompiler {
  readonly #ajv: Ajv2020;

  constructor(document: JsonObject) {
    const { Ajv2020 } = loadAjv();
    this.#ajv = new Ajv2020({
      strict: true,
      unicodeRegExp: true,
      allErrors: false,
      // For unions such as `[string, 'null']`.
      allowUnionTypes: true,
      // Report only the errors of the schema that the discriminator names.
      discriminator: true,
      // Inherited members were not sent.
      ownProperties: true,
      // The lint of the description checks the schemas: here it would take longer than the rest.
      validateSchema: false,
      meta: false,
      logger: false,
      formats: { uri: true, 'uri-reference': true, 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
    });
    this.#ajv.addKeyword({ keyword: 'numeric', modifying: true, code: checkNumber, error: toWanted });
    this.#ajv.addKeyword({ keyword: 'codePointsMax', type: 'string', code: checkCodePoints, error: toLimit });
    this.#ajv.addKeyword({ keyword: 'nulFree', type: 'string', code: checkNulFree });
    const schemas = membersOf(membersOf(document['components'])['schemas']);
    this.#ajv.addSchema({ $id: schemasId, $defs: mapMembers(schemas, toExactSchema) });
  }

  /** @param schema as in the description. Takes milliseconds. */
  compile(schema: JsonValue): Validate {
    const validate = this.#ajv.compile(toExactSchema(schema) as object);
    return (value) => {
      if (validate(value)) return undefined;
      const error = chooseError(validate.errors ?? []);
      return {
        keyword: error?.keyword ?? '',
        path: (error?.instancePath ?? '').split('/').slice(1).map(unescapePointer),
        params: error?.params ?? {},
        message: error?.message ?? '',
      };
    };
  }
}

/**
 * A `oneOf` without a discriminator is of schemas with different types, and has the errors of all:
 * what counts is that of the schema of the value's type.
 */
function chooseError(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const last = errors.at(-1);
  if (last?.keyword !== 'oneOf') return errors[0];
  const isOtherType = ({ keyword, instancePath }: ErrorObject): boolean =>
    keyword === 'type' && instancePath === last.instancePath;
  const types = errors.filter(isOtherType).map(({ params }) => params['type'] as string);
  const ofItsType = errors.find((error) => error !== last && !isOtherType(error));
  return ofItsType ?? { ...last, keyword: 'type', params: { type: types } };
}

/** Returns what Ajv gets in place of a keyword. */
type Rewrite = (value: JsonValue, keyword: string, schema: JsonObject) => JsonObject;

const keep: Rewrite = (value, keyword) => ({ [keyword]: value });
/** Removes annotations: they validate nothing. */
const omit: Rewrite = () => ({});
const toSchema: Rewrite = (value, keyword) => ({ [keyword]: toExactSchema(value) });
const toSchemas: Rewrite = (value, keyword) => ({ [keyword]: Array.isArray(value) ? value.map(toExactSchema) : value });

/** All keywords that the description may use: Ajv would apply others to schemas and integers that are not exact. */
const keywords: ReadonlyMap<string, Rewrite> = new Map([
  ...['description', 'title', 'examples', 'example', 'default', 'deprecated'].map((each) => [each, omit] as const),
  ...['type', 'format', 'minimum', 'maximum', 'enum', 'const'].map((each) => [each, keep] as const),
  ...['required', 'minProperties', 'minLength', 'minItems', 'maxItems', 'uniqueItems'].map(
    (each) => [each, keep] as const,
  ),
  ['items', toSchema],
  ['additionalProperties', toSchema],
  ['allOf', toSchemas],
  ['oneOf', toSchemas],
  ['properties', (value) => ({ properties: mapMembers(membersOf(value), toExactSchema) })],
  ['$ref', (value) => ({ $ref: toExactReference(value) })],
  // Ajv knows no mapping: it reads the values in the schemas, which have the same ones.
  ['discriminator', (value) => ({ discriminator: { propertyName: membersOf(value)['propertyName'] ?? null } })],
  ['maxLength', (value) => ({ codePointsMax: value })],
  ['pattern', rewritePattern],
]);

function rewritePattern(pattern: JsonValue, _keyword: string, { format }: JsonObject): JsonObject {
  // Webhooks refuse what does not match, and say why.
  if (format === 'uri') return {};
  return pattern === '^[^\\x00]*$' ? { nulFree: true } : { pattern };
}

/**
 * Returns the schema with our keywords where those of JSON Schema are slow or wrong.
 * @throws Error naming a keyword that is not known.
 */
function toExactSchema(schema: JsonValue): JsonValue {
  if (!isJsonObject(schema)) return schema;
  const exact: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const rewrite = keywords.get(keyword);
    if (rewrite === undefined)
      throw new Error(`Cannot compile schema: its keyword ${JSON.stringify(keyword)} is unknown`);
    Object.assign(exact, rewrite(value ?? null, keyword, schema));
  }
  return toNumeric(exact) ?? exact;
}

/** Keywords that Ajv would apply to a bigint, or before it is a number. */
const unsupported = ['enum', 'const'];

/**
 * Returns the schema with our keyword for numbers; undefined if it has none.
 * @throws Error naming what the keyword does not support.
 */
function toNumeric({ type, format, minimum, maximum, ...others }: JsonObject): JsonObject | undefined {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const kind = types.find((each) => each === 'integer' || each === 'number');
  if (kind === undefined) return undefined;
  const range = kind === 'number' ? numberRange : format === 'int32' ? int32Range : int64Range;
  const odd = types.find((each) => each !== kind && each !== 'null') ?? unsupported.find((each) => each in others);
  if (odd !== undefined) throw new Error(`Cannot compile schema: ${JSON.stringify(odd)} beside the type ${kind}`);
  const least = isNumber(minimum) ? minimum : range.least;
  const most = isNumber(maximum) ? maximum : range.most;
  return { ...others, numeric: { ...range, least, most, isNullable: types.includes('null') } };
}

function isNumber(value: JsonValue | undefined): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function toExactReference(reference: JsonValue): JsonValue {
  return typeof reference === 'string' ? reference.replace('#/components/schemas/', `${schemasId}#/$defs/`) : reference;
}

function mapMembers(members: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value ?? null)]));
}

/** The parser returns an int64 as bigint, any other number as number. */
function checkNumber(context: KeywordCxt): void {
  const { _ } = loadAjv();
  const { data, gen, it } = context;
  const numeric = context.schema as Numeric;
  const { becomes, isNullable } = numeric;
  const least = gen.scopeValue('schema', { ref: numeric.least });
  const most = gen.scopeValue('schema', { ref: numeric.most });
  const others = { bigint: _`false`, integer: _`Number.isInteger(${data})`, number: _`typeof ${data} === "number"` };
  const isNumeric = _`(typeof ${data} === "bigint" || ${others[becomes]}) && ${data} >= ${least} && ${data} <= ${most}`;
  context.fail(isNullable ? _`${data} !== null && !(${isNumeric})` : _`!(${isNumeric})`);
  if (becomes === 'bigint') return;
  gen.if(_`typeof ${data} === "bigint"`, () => {
    gen.assign(data, _`Number(${data})`);
    // Undefined for a value that is in no object and no list.
    gen.if(_`${it.parentData} !== undefined`, () => gen.assign(_`${it.parentData}[${it.parentDataProperty}]`, data));
  });
}

/** The parameters are the value of the keyword. */
const toWanted: KeywordErrorDefinition = {
  message: 'is not a number in its range',
  params: ({ gen, schema }) => loadAjv()._`${gen.scopeValue('schema', { ref: schema as Numeric })}`,
};

const toLimit: KeywordErrorDefinition = {
  message: 'is too long',
  params: ({ schema }) => loadAjv()._`{limit: ${schema as number}}`,
};

/** Counts code points, like JSON Schema; UTF-16 units first, since few texts are too long. */
function checkCodePoints(context: KeywordCxt): void {
  const { _ } = loadAjv();
  const count = context.gen.scopeValue('func', { ref: countCodePoints });
  const max = context.schema as number;
  context.fail(
    _`${context.data}.length > ${max} && (${context.data}.length > ${2 * max} || ${count}(${context.data}) > ${max})`,
  );
}

function checkNulFree(context: KeywordCxt): void {
  const { _ } = loadAjv();
  context.fail(_`${context.data}.includes("\\0")`);
}

function countCodePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.codePointAt(at) ?? 0;
    if (unit > 0xffff) at++;
    count++;
  }
  return count;
}
