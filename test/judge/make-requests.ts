/** Requests made from openapi.json: valid, boundary and broken values of each parameter, header field and body. */
import { makeRandom } from '../crash/random.ts';
import { typesOf } from '../support/field-values.ts';
import type { RequestOptions } from '../support/request.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly definition: Json;
}

export interface Made extends RequestOptions {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  /** Whether it must be refused: one part, and only one, is broken. */
  readonly isBroken: boolean;
}

export class RequestMaker {
  readonly #document: Json;
  readonly #random: (below: number) => number;
  /** Values that earlier responses gave: cursors by operation, ids of webhooks and deliveries. */
  readonly known = new Map<string, string>();

  constructor(document: Json, seed: number) {
    const { integer } = makeRandom(seed);
    this.#document = document;
    this.#random = (below) => integer(0, below - 1);
  }

  /** All operations, in an order of its own each time: none always follows the one that deletes what it needs. */
  shuffledOperations(): Operation[] {
    const left = this.operations();
    return [...left.keys()].flatMap(() => left.splice(this.#random(left.length), 1));
  }

  operations(): Operation[] {
    return Object.entries(this.#document['paths'] as Record<string, Record<string, Json>>).flatMap(([path, item]) =>
      Object.entries(item).map(([method, definition]) => ({
        id: String(definition['operationId']),
        method: method.toUpperCase(),
        path,
        definition,
      })),
    );
  }

  resolve(value: unknown): Json {
    const reference = (value as Json)['$ref'];
    if (typeof reference !== 'string') return value as Json;
    const found = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((node, name) => (node as Json)[name], this.#document);
    return this.resolve(found);
  }

  make(operation: Operation): Made {
    const parameters = ((operation.definition['parameters'] ?? []) as unknown[]).map((each) => this.resolve(each));
    const content = this.#contentOf(operation);
    const breakable = parameters.filter((parameter) => this.#toBroken(this.#schemaOf(parameter)).length > 0);
    // One request of three is broken somewhere.
    const parts =
      this.#random(3) === 0 ? [...breakable, ...(content === undefined ? [] : ['body']), 'token', 'accept'] : [];
    let broken = parts.length === 0 ? undefined : this.#pick<unknown>(parts);
    const isPublic = Array.isArray(operation.definition['security']);
    if (broken === 'token' && isPublic) broken = undefined;
    if (broken === 'accept' && this.#successTypes(operation).length === 0) broken = undefined;
    let { path } = operation;
    const query: string[] = [];
    const headers: Record<string, string> = {};
    for (const parameter of parameters) {
      const [name, place] = [String(parameter['name']), parameter['in']];
      const isBroken = parameter === broken;
      const isMissing = given.has(name) && this.#findKnown(name, operation.id) === undefined;
      if (!isBroken && parameter['required'] !== true && (isMissing || this.#random(3) > 0)) continue;
      const schema = this.#schemaOf(parameter);
      const value = isBroken ? this.#pick(this.#toBroken(schema)) : this.#toText(name, schema, operation.id);
      if (place === 'path') path = path.replace(`{${name}}`, escape(value || 'a'));
      else if (place === 'header') headers[name] = value.replaceAll('\0', '!');
      else query.push(`${name}=${escape(value)}`);
    }
    if (broken === 'accept') headers['accept'] = 'text/nope, application/json;q=0';
    const body = content === undefined ? undefined : this.#makeBody(content, broken === 'body', headers);
    return {
      operation,
      method: operation.method === 'GET' && this.#random(10) === 0 ? 'HEAD' : operation.method,
      path: query.length === 0 ? path : `${path}?${query.join('&')}`,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(broken === 'token' ? { token: this.#pick([null, 'nope', 'a b']) } : {}),
      isBroken: broken !== undefined,
    };
  }

  #pick<Value>(values: readonly Value[]): Value {
    return values[this.#random(values.length)] as Value;
  }

  /** Returns the schema of a single value, also for a parameter that can be repeated. */
  #schemaOf(parameter: Json): Json {
    const schema = this.resolve(parameter['schema']);
    return schema['items'] === undefined ? schema : this.resolve(schema['items']);
  }

  #contentOf({ definition }: Operation): Json | undefined {
    return (definition['requestBody'] as Json | undefined)?.['content'] as Json | undefined;
  }

  #successTypes({ definition }: Operation): string[] {
    const responses = Object.entries(definition['responses'] as Json).filter(([status]) => status < '300');
    return responses.flatMap(([, response]) => Object.keys((this.resolve(response)['content'] ?? {}) as Json));
  }

  #makeBody(content: Json, isBroken: boolean, headers: Record<string, string>): string {
    const type = this.#pick(Object.keys(content));
    const media = content[type] as Json;
    headers['content-type'] = type;
    const rows = media['x-row-schema'];
    if (rows === undefined)
      return isBroken ? this.#breakBody(this.#flatten(media['schema']), headers) : this.#toJson(media['schema']);
    if (isBroken)
      return type === 'text/csv' ? this.#pick(['', 'name\r\na\r\n', 'id,id,name\r\n']) : this.#breakType(headers);
    const lines = Array.from({ length: this.#random(5) }, () =>
      type === 'text/csv'
        ? this.#pick(['1,a,b', '2,"x, ""y""",', 'x,y', `${2n ** 63n},a,`])
        : this.#pick([this.#toJson(rows), '{']),
    );
    return [...(type === 'text/csv' ? ['id,name,tag'] : []), ...lines, ''].join('\n');
  }

  #breakBody(schema: Json, headers: Record<string, string>): string {
    const properties = Object.entries(schema['properties'] as Json);
    const [name, property] = this.#pick(properties);
    const others = properties
      .filter(([each]) => each !== name)
      .map(([each, value]) => `"${each}":${this.#toJson(value, each)}`);
    const values = [
      '{}',
      '1.5',
      '9223372036854775808',
      '-1e400',
      `"${'a'.repeat(2_001)}"`,
      '"\\u0000"',
      '"\\ud800"',
      '[null]',
    ];
    const wrong = `{${[...others, `"${name}":${this.#pick(values)}`].join(',')}}`;
    const twice = `{"${name}":${this.#toJson(property, name)},"${name}":1}`;
    const texts = [
      '',
      '{',
      '[]',
      'null',
      '\uFEFF{}',
      `${'['.repeat(33)}${']'.repeat(33)}`,
      ' '.repeat(65_537),
      twice,
      wrong,
      wrong,
    ];
    return this.#random(8) === 0 ? this.#breakType(headers) : this.#pick(texts);
  }

  #breakType(headers: Record<string, string>): string {
    headers['content-type'] = this.#pick(['text/plain', 'application/json; charset=utf-16', 'multipart/form-data']);
    return '{}';
  }

  /** Merges `allOf`; chooses one of `oneOf`. */
  #flatten(schema: unknown): Json {
    const { allOf, oneOf, ...own } = this.resolve(schema);
    if (oneOf !== undefined) return this.#flatten(this.#pick(oneOf as unknown[]));
    const parts = ((allOf ?? []) as unknown[]).map((each) => this.#flatten(each));
    const merge = (name: string): Json => Object.assign({}, ...[...parts, own].map((part) => part[name] ?? {})) as Json;
    const required = [...parts, own].flatMap((part) => (part['required'] ?? []) as string[]);
    return {
      ...own,
      ...Object.assign({}, ...parts),
      required,
      ...(allOf === undefined ? {} : { properties: merge('properties') }),
    } as Json;
  }

  /** Returns JSON of a valid value: integers are texts, as numbers would round them. */
  #toJson(schema: unknown, name = ''): string {
    const { type, properties, items, required = [], minProperties, ...others } = this.#flatten(schema);
    const types = typesOf({ type });
    if (types.includes('null') && this.#random(3) === 0) return 'null';
    const isList = types.includes('array') && this.#random(2) === 0;
    if (types.includes('object') && !isList) {
      const optional = Object.keys(properties ?? {});
      const least = minProperties === undefined ? [] : [this.#pick(optional)];
      const members = Object.entries((properties ?? {}) as Json).filter(
        ([each]) => [...(required as string[]), ...least].includes(each) || this.#random(2) === 0,
      );
      return `{${members.map(([each, value]) => `"${each}":${this.#toJson(value, each)}`).join(',')}}`;
    }
    if (types.includes('array')) return `[${this.#toJson(items)}]`;
    const text = this.#toText(name, { ...others, type }, '');
    return types.includes('string') ? JSON.stringify(text) : text;
  }

  #findKnown(name: string, operationId: string): string | undefined {
    return this.known.get(`${operationId}.${name}`) ?? this.known.get(name);
  }

  #toText(name: string, schema: Json, operationId: string): string {
    const known = this.#findKnown(name, operationId);
    if (known !== undefined && (typesOf(schema).includes('string') || this.#random(2) === 0)) return known;
    if (name === 'wait') return '0';
    if (name === 'url') return `http://127.0.0.1:9/${this.#random(9)}`;
    if (schema['enum'] !== undefined) return this.#pick(schema['enum'] as string[]);
    const types = typesOf(schema);
    // The description accepts only true for these parameters, and says so in words only.
    if (name === 'all' || name === 'untagged') return 'true';
    if (types.includes('boolean')) return this.#pick(['true', 'false']);
    if (schema['format'] === 'int64') return this.#pick([...bounds64, ...bounds64, String(this.#random(40))]);
    const { minimum = -(2 ** 31), maximum = 2 ** 31 - 1 } = schema;
    if (types.includes('integer')) return String(this.#pick([minimum, maximum, 2]));
    if (types.includes('number')) return String(this.#pick([minimum, maximum, 2.5]));
    const { pattern, maxLength = Infinity } = schema as { readonly pattern?: string; readonly maxLength?: number };
    const fitting = texts.filter(
      (text) => Array.from(text).length <= maxLength && (pattern === undefined || new RegExp(pattern, 'u').test(text)),
    );
    return this.#pick(fitting.length > 0 ? fitting : ['now']);
  }

  /** Returns values that the schema does not allow, of one that is not sent as JSON. */
  #toBroken(schema: Json): string[] {
    const types = typesOf(schema);
    if (schema['enum'] !== undefined || types.includes('boolean')) return ['nope', 'TRUE'];
    if (schema['format'] === 'int64')
      return ['x', '07', '1.0', '+1', '-0', '9223372036854775808', '-9223372036854775809'];
    if (types.includes('integer')) return ['x', '-1', '1001', '1e1', '02', '4294967297'];
    const { pattern, maxLength } = schema as { readonly pattern?: string; readonly maxLength?: number };
    const long = maxLength === undefined ? [] : ['a'.repeat(maxLength + 1)];
    return [
      ...long,
      ...(pattern === undefined ? [] : ['\0', '!', 'é\0'].filter((text) => !new RegExp(pattern, 'u').test(text))),
    ];
  }
}

/** Parameters whose values only the service can make. */
const given = new Set(['cursor', 'Last-Event-ID']);
const bounds64 = ['0', '-1', '9223372036854775807', '-9223372036854775808', '9007199254740993'];
const texts = [
  '',
  'a',
  'Monstera',
  '×piperita 🌵',
  '\u2028',
  '= 1',
  'é'.repeat(1_000),
  '𝒳'.repeat(500),
  '*',
  '"a"',
  'W/"a", "b"',
];

function escape(text: string): string {
  return encodeURIComponent(text);
}
