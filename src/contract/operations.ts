/** The operations of the description as a table, and their lookup by method and path. */
import { scopes } from '../domain/principal.ts';
import type { Scope } from '../domain/principal.ts';
import { membersOf, resolve } from './description.ts';
import type { JsonObject, JsonValue } from '../json/parse-json.ts';

export interface Operation {
  readonly operationId: string;
  /** In upper case. */
  readonly method: string;
  /** The path in the description, with `{name}` for a parameter and without the base path. */
  readonly path: string;
  /** Scope that a token needs. If absent, any valid token suffices. */
  readonly scope?: Scope;
  /** Whether it needs no token. */
  readonly isPublic: boolean;
  /** Empty if it has no body. */
  readonly requestMediaTypes: readonly string[];
  /** Maximum length of its body. Absent: the limit of the configuration. */
  readonly bodyBytesMax?: number;
  /** The media types of successful responses. */
  readonly responseMediaTypes: readonly string[];
  readonly statuses: readonly number[];
  /** The operation's part of the description. */
  readonly definition: JsonObject;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** @throws Error if an operation has no id, a duplicate one, or an unknown scope. */
export function readOperations(document: JsonObject): ReadonlyMap<string, Operation> {
  const operations = new Map<string, Operation>();
  for (const [path, item] of Object.entries(membersOf(document['paths']))) {
    for (const [method, definition] of Object.entries(membersOf(item))) {
      if (!methods.includes(method)) continue;
      const operation = readOperation(document, method, path, membersOf(definition));
      if (operations.has(operation.operationId)) throw new Error(`Two operations are named ${operation.operationId}`);
      operations.set(operation.operationId, operation);
    }
  }
  return operations;
}

/** A path of the description that matches a request. */
export interface FoundPath {
  /** By method; HEAD maps to GET unless described itself. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** For the Allow header field, in alphabetical order. */
  readonly methods: readonly string[];
  /** The path parameters of the request, by name. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Finds operations by path, without base path and query. Compares exactly; decodes nothing. */
export class PathTable {
  readonly #exact = new Map<string, FoundPath>();
  readonly #templated: { readonly pattern: RegExp; readonly path: Omit<FoundPath, 'parameters'> }[] = [];

  constructor(operations: Iterable<Operation>) {
    for (const [template, ofPath] of Map.groupBy(operations, ({ path }) => path)) {
      const byMethod = new Map(ofPath.map((operation) => [operation.method, operation]));
      const get = byMethod.get('GET');
      if (get !== undefined && !byMethod.has('HEAD')) byMethod.set('HEAD', get);
      const path = { operations: byMethod, methods: [...byMethod.keys()].sort() };
      if (template.includes('{')) this.#templated.push({ pattern: toPattern(template), path });
      else this.#exact.set(template, { ...path, parameters: {} });
    }
  }

  /** Returns undefined if no operation has the path. */
  find(path: string): FoundPath | undefined {
    const exact = this.#exact.get(path);
    if (exact !== undefined) return exact;
    for (const { pattern, path: found } of this.#templated) {
      const match = pattern.exec(path);
      if (match !== null) return { ...found, parameters: match.groups ?? {} };
    }
    return undefined;
  }
}

/** Matches the paths of a template. Each parameter is a group: one segment, never empty. */
function toPattern(template: string): RegExp {
  const parts = template.split(/\{(\w+)\}/);
  return new RegExp(
    `^${parts.map((part, at) => (at % 2 === 1 ? `(?<${part}>[^/]+)` : RegExp.escape(part))).join('')}$`,
  );
}

function readOperation(document: JsonObject, method: string, path: string, definition: JsonObject): Operation {
  const operationId = definition['operationId'];
  if (typeof operationId !== 'string') throw new Error(`Cannot read ${method} ${path}: it has no operationId`);
  const security = definition['security'] ?? document['security'];
  const responses = Object.entries(membersOf(definition['responses']));
  const successes = responses.filter(([status]) => status.startsWith('2'));
  return {
    operationId,
    method: method.toUpperCase(),
    path,
    ...readScope(operationId, definition['x-scope']),
    isPublic: !Array.isArray(security) || security.length === 0,
    ...readBodyBytesMax(definition['x-body-bytes-max']),
    requestMediaTypes: mediaTypesOf(resolve(document, definition['requestBody'])),
    responseMediaTypes: [...new Set(successes.flatMap(([, response]) => mediaTypesOf(resolve(document, response))))],
    statuses: responses.map(([status]) => Number(status)),
    definition,
  };
}

function readScope(operationId: string, value: JsonValue | undefined): { scope?: Scope } {
  if (value === undefined) return {};
  const scope = scopes.find((each) => each === value);
  if (scope === undefined) throw new Error(`Cannot read ${operationId}: its x-scope is none of ${scopes.join(', ')}`);
  return { scope };
}

function readBodyBytesMax(value: JsonValue | undefined): { bodyBytesMax?: number } {
  return typeof value === 'number' ? { bodyBytesMax: value } : {};
}

function mediaTypesOf(definition: JsonObject): string[] {
  return Object.keys(membersOf(definition['content']));
}
