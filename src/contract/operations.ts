/**
 * The operations of the description as a table: which there are, what each takes and answers, and which one a method
 * and a path mean. Schemas are not read here.
 */
import { scopes } from '../domain/principal.ts';
import type { Scope } from '../domain/principal.ts';
import { membersOf, resolve } from './description.ts';
import type { Members, Value } from './description.ts';

export interface Operation {
  readonly operationId: string;
  /** In upper case. */
  readonly method: string;
  /** As the description writes it, with `{name}` for a parameter and without the base path. */
  readonly path: string;
  /** What a token needs; absent: any valid token will do, or none when public. */
  readonly scope?: Scope;
  /** Whether it answers without a token. */
  readonly isPublic: boolean;
  readonly requestMediaTypes: readonly string[];
  /** Of the successes. */
  readonly responseMediaTypes: readonly string[];
  readonly statuses: readonly number[];
  /** Its part of the description. */
  readonly definition: Members;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** @throws Error when an operation has no id, shares it, or names a scope that does not exist. */
export function readOperations(document: Members): ReadonlyMap<string, Operation> {
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

/** Finds operations by path, without the base path and the query; compares exactly, and decodes nothing. */
export class PathTable {
  readonly #exact = new Map<string, Map<string, Operation>>();
  readonly #templated: { readonly template: readonly string[]; readonly byMethod: Map<string, Operation> }[] = [];

  constructor(operations: Iterable<Operation>) {
    for (const operation of operations) {
      let byMethod = this.#exact.get(operation.path);
      if (byMethod === undefined) {
        byMethod = new Map();
        this.#exact.set(operation.path, byMethod);
        if (operation.path.includes('{')) this.#templated.push({ template: operation.path.split('/'), byMethod });
      }
      byMethod.set(operation.method, operation);
    }
  }

  /** HEAD means the operation of GET, unless it has its own. */
  findOperation(method: string, path: string): Operation | undefined {
    const byMethod = this.#find(path);
    return byMethod?.get(method) ?? (method === 'HEAD' ? byMethod?.get('GET') : undefined);
  }

  /** In alphabetical order; empty when no operation has the path. */
  allowedMethods(path: string): readonly string[] {
    const known = new Set(this.#find(path)?.keys());
    if (known.has('GET')) known.add('HEAD');
    return [...known].sort();
  }

  #find(path: string): ReadonlyMap<string, Operation> | undefined {
    const exact = this.#exact.get(path);
    if (exact !== undefined) return exact;
    const segments = path.split('/');
    return this.#templated.find(({ template }) => fits(template, segments))?.byMethod;
  }
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  if (template.length !== segments.length) return false;
  return template.every((wanted, index) =>
    wanted.startsWith('{') ? segments[index] !== '' : segments[index] === wanted,
  );
}

function readOperation(document: Members, method: string, path: string, definition: Members): Operation {
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
    requestMediaTypes: mediaTypesOf(resolve(document, definition['requestBody'])),
    responseMediaTypes: [...new Set(successes.flatMap(([, response]) => mediaTypesOf(resolve(document, response))))],
    statuses: responses.map(([status]) => Number(status)),
    definition,
  };
}

function readScope(operationId: string, value: Value | undefined): { scope?: Scope } {
  if (value === undefined) return {};
  const scope = scopes.find((each) => each === value);
  if (scope === undefined) throw new Error(`Cannot read ${operationId}: its x-scope is none of ${scopes.join(', ')}`);
  return { scope };
}

function mediaTypesOf(definition: Members): string[] {
  return Object.keys(membersOf(definition['content']));
}
