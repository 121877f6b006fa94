/**
 * Sends the requests of a collection in order and runs its scripts, as API clients do. Of their
 * `pm` object it has what our scripts use; anything else throws.
 */
import assert from 'node:assert/strict';
import { createContext, runInContext } from 'node:vm';

interface Event {
  readonly listen: 'prerequest' | 'test';
  readonly script: { readonly exec: readonly string[] };
}

interface Item {
  readonly name: string;
  readonly event: readonly Event[];
  readonly request: {
    readonly auth?: { readonly type: 'noauth' };
    readonly method: string;
    readonly header: readonly { readonly key: string; readonly value: string }[];
    readonly url: { readonly raw: string };
    readonly body?: { readonly mode: 'raw'; readonly raw: string };
  };
}

export interface Collection {
  readonly auth: { readonly bearer: readonly { readonly value: string }[] };
  readonly event: readonly Event[];
  readonly variable: readonly { readonly key: string; readonly value: string }[];
  readonly item: readonly Item[];
}

/** What one request led to. */
export interface Ran {
  readonly name: string;
  /** With the token that was sent. */
  readonly token: string | undefined;
  /** The checks that passed. */
  readonly passed: readonly string[];
  /** The failed steps, with their messages. */
  readonly failed: readonly string[];
}

/** @param given values in place of those of the collection. */
export async function runCollection(
  collection: Collection,
  given: Readonly<Record<string, string>>,
): Promise<readonly Ran[]> {
  const variables = new Map(collection.variable.map(({ key, value }) => [key, given[key] ?? value]));
  const ran: Ran[] = [];
  for (const { name, request, event } of collection.item) {
    const [passed, failed]: [string[], string[]] = [[], []];
    const pm = { ...toVariables(variables), test: toTest(passed, failed), expect };
    for (const each of collection.event) run(each, pm);
    const token = request.auth === undefined ? fill(collection.auth.bearer[0]?.value ?? '', variables) : undefined;
    const response = await fetch(fill(request.url.raw, variables), {
      method: request.method,
      headers: {
        ...Object.fromEntries(request.header.map(({ key, value }) => [key, fill(value, variables)])),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(request.body === undefined ? {} : { body: fill(request.body.raw, variables) }),
    });
    const text = await response.text();
    for (const each of event) run(each, { ...pm, response: toResponse(response, text) });
    ran.push({ name, token, passed, failed });
  }
  return ran;
}

function run({ script }: Event, pm: object): void {
  runInContext(script.exec.join('\n'), createContext({ pm }), { timeout: 60_000 });
}

/** @throws AssertionError for a variable that nobody has set. */
function fill(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\{\{(\$?\w+)\}\}/g, (_, name: string) => {
    const value = name === '$guid' ? crypto.randomUUID() : variables.get(name);
    assert.ok(value !== undefined && value !== '', `no value for ${name}`);
    return value;
  });
}

function toVariables(variables: Map<string, string>): object {
  return {
    collectionVariables: {
      get: (name: string) => variables.get(name),
      set: (name: string, value: string) => void variables.set(name, value),
    },
    variables: {
      get: (name: string) => variables.get(name),
      set: (name: string, value: string) => void variables.set(name, value),
      replaceIn: (text: string) => fill(text, variables),
    },
  };
}

function toTest(passed: string[], failed: string[]): (name: string, check: () => void) => void {
  return (name, check) => {
    try {
      check();
      passed.push(name);
    } catch (error) {
      failed.push(`${name}: ${String(error)}`);
    }
  };
}

function toResponse(response: Response, text: string): object {
  return {
    to: { have: { status: (wanted: number) => assert.equal(response.status, wanted) } },
    headers: { get: (name: string) => response.headers.get(name) ?? undefined },
    json: () => JSON.parse(text) as unknown,
    text: () => text,
  };
}

/** Values of scripts have prototypes of their own: they are compared as JSON. */
function expect(value: unknown): object {
  const isEqual = (wanted: unknown): boolean => JSON.stringify(value) === JSON.stringify(wanted);
  return {
    to: {
      eql: (wanted: unknown) => assert.ok(isEqual(wanted), `${JSON.stringify(value)} is not as expected`),
      include: (part: string) => assert.ok(String(value).includes(part), `${String(value)} has no ${part}`),
      not: { eql: (wanted: unknown) => assert.ok(!isEqual(wanted), `${JSON.stringify(value)} is the same`) },
    },
  };
}
