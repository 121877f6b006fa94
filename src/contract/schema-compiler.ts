/**
 * Compiles schemas of the description with Ajv, for exactly parsed JSON with `bigint` integers.
 * Coerces, removes and fills in nothing. Does not choose error codes.
 */
import { _, Ajv2020 } from 'ajv/dist/2020.js';
import type { KeywordCxt, KeywordErrorDefinition } from 'ajv/dist/2020.js';
import { isJsonObject, membersOf, unescapePointer } from './description.ts';
import type { JsonObject, JsonValue } from './description.ts';
import { int64Max, int64Min } from '../json/int64.ts';

/** The first error of a value. */
export interface ValidationError {
  /**
   * The violated keyword: `required`, `type`, `integerBounds`, `codePointsMax`, `nulFree` or
   * another of JSON Schema.
   */
  readonly keyword: string;
  /** Member names and indices that lead to the invalid value; empty for the top-level value. */
  readonly path: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
  /** Ajv's message: what the schema requires, never the value itself. */
  readonly message: string;
}

/** Returns the first error, or undefined if the value is valid. */
export type Validate = (value: unknown) => ValidationError | undefined;

/** Key of the description's schemas in Ajv. */
const schemasId = 'description';

/** Inclusive. Also for integers without a format: exact parsing returns no larger ones. */
const int64Bounds = [int64Min, int64Max] as const;
const int32Bounds = [-(2n ** 31n), 2n ** 31n - 1n] as const;

export class SchemaCompiler {
  readonly #ajv: Ajv2020;

  constructor(document: JsonObject) {
    this.#ajv = new Ajv2020({
      strict: true,
      unicodeRegExp: true,
      allErrors: false,
      // For unions such as `[string, 'null']`.
      allowUnionTypes: true,
      // Inherited members were not sent.
      ownProperties: true,
      // The lint of the description checks the schemas; checking them at each start would take
      // longer than the rest.
      validateSchema: false,
      meta: false,
      logger: false,
      formats: { 'uri-reference': true, 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
    });
    this.#ajv.addKeyword({ keyword: 'integerBounds', code: checkInteger });
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
      const error = validate.errors?.[0];
      return {
        keyword: error?.keyword ?? '',
        path: (error?.instancePath ?? '').split('/').slice(1).map(unescapePointer),
        params: error?.params ?? {},
        message: error?.message ?? '',
      };
    };
  }
}

const keywordsOfMaps = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs']);
const keywordsOfLists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const keywordsOfSchemas = new Set([
  'items',
  'contains',
  'additionalProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
]);
/** Annotations; they validate nothing. */
const annotations = new Set(['description', 'title', 'examples', 'example', 'default', 'deprecated']);

/**
 * Returns the schema with our keywords where those of JSON Schema are slow or wrong for a bigint.
 */
function toExactSchema(schema: JsonValue): JsonValue {
  if (!isJsonObject(schema)) return schema;
  const exact: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined || annotations.has(keyword)) continue;
    if (keywordsOfMaps.has(keyword)) exact[keyword] = mapMembers(membersOf(value), toExactSchema);
    else if (keywordsOfLists.has(keyword) && Array.isArray(value)) exact[keyword] = value.map(toExactSchema);
    else if (keywordsOfSchemas.has(keyword)) exact[keyword] = toExactSchema(value);
    else if (keyword === '$ref') exact['$ref'] = toExactReference(value);
    else if (keyword === 'maxLength') exact['codePointsMax'] = value;
    else if (keyword === 'pattern' && value === '^[^\\x00]*$') exact['nulFree'] = true;
    else exact[keyword] = value;
  }
  if (schema['type'] !== 'integer') return exact;
  const { type, format, minimum, maximum, ...others } = exact;
  const [least, most] = format === 'int32' ? int32Bounds : int64Bounds;
  return { ...others, integerBounds: [toBound(minimum, least), toBound(maximum, most)] };
}

function toExactReference(reference: JsonValue): JsonValue {
  return typeof reference === 'string' ? reference.replace('#/components/schemas/', `${schemasId}#/$defs/`) : reference;
}

function toBound(written: JsonValue | undefined, ofFormat: bigint): bigint {
  return typeof written === 'number' || typeof written === 'bigint' ? BigInt(written) : ofFormat;
}

function mapMembers(members: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value ?? null)]));
}

function checkInteger(context: KeywordCxt): void {
  const { data, gen } = context;
  const [least, most] = (context.schema as readonly bigint[]).map((bound) => gen.scopeValue('schema', { ref: bound }));
  context.fail(_`typeof ${data} !== "bigint" || ${data} < ${least} || ${data} > ${most}`);
}

const toLimit: KeywordErrorDefinition = {
  message: 'is too long',
  params: ({ schema }) => _`{limit: ${schema as number}}`,
};

/** Counts code points, like JSON Schema; UTF-16 units first, since few texts are too long. */
function checkCodePoints(context: KeywordCxt): void {
  const count = context.gen.scopeValue('func', { ref: countCodePoints });
  const max = context.schema as number;
  context.fail(
    _`${context.data}.length > ${max} && (${context.data}.length > ${2 * max} || ${count}(${context.data}) > ${max})`,
  );
}

function checkNulFree(context: KeywordCxt): void {
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
