/** Generators of TypeScript read the description: a call of every operation, with each of its examples, compiles. */
import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';
import openapiTs, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { membersOf, resolve } from '../../src/contract/description.ts';
import type { Operation } from '../../src/contract/operations.ts';
import type { JsonObject, JsonValue } from '../../src/json/parse-json.ts';
import { toJson } from '../../src/json/to-json.ts';
import { makeFolder } from '../support/clean-up.ts';
import { contract } from '../support/read-contract.ts';

const root = join(import.meta.dirname, '../..');
const description = join(root, 'openapi.json');
const { document } = contract;
/** No body of an operation. */
const wrongBody = 'null';

/** The arguments of a call: values by name, and what has none is absent. */
interface Arguments {
  readonly path?: JsonObject;
  readonly query?: JsonObject;
  readonly header?: JsonObject;
  /** The body as JSON. */
  readonly body?: string;
}

describe('a call of every operation compiles', () => {
  it('with openapi-fetch', async (t) => {
    const folder = await openFolder(t);
    await writeFile(join(folder, 'paths.ts'), astToString(await openapiTs(pathToFileURL(description))));
    const head = "import createClient from 'openapi-fetch';\nimport type { paths } from './paths.ts';\n";
    await assertCompiles(
      folder,
      `${head}const client = createClient<paths>();`,
      ({ method, path }, { body, ...params }) => {
        return `await client.${method}('${path}', ${toCode({ params: toCode(params), body })});`;
      },
    );
  });

  it('with @hey-api/openapi-ts', async (t) => {
    const folder = await openFolder(t);
    await createClient({
      input: description,
      output: { path: join(folder, 'made'), module: { extension: '.ts' } },
      plugins: ['@hey-api/client-fetch', '@hey-api/sdk'],
      logs: { level: 'silent', file: false },
    });
    await assertCompiles(
      folder,
      "import * as sdk from './made/sdk.gen.ts';",
      ({ operationId }, { header, ...given }) => {
        return `await sdk.${operationId}(${toCode({ ...given, headers: header })});`;
      },
    );
  });
});

/** Outside of the project, with its packages. */
async function openFolder(t: TestContext): Promise<string> {
  const folder = await makeFolder(t);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

type Write = (operation: Operation, given: Arguments) => string;

/** Compiles the calls, and for each operation with a body one with a wrong body, which must not compile. */
async function assertCompiles(folder: string, head: string, write: Write): Promise<void> {
  const lines = [...contract.operations.values()].flatMap((operation) => {
    const given = argumentsOf(operation);
    const toCall = (body: string): string => write(operation, { ...given, body });
    const bodies = bodiesOf(operation);
    if (bodies.length === 0) return [write(operation, given)];
    return [...bodies.map(toCall), '// @ts-expect-error', toCall(wrongBody)];
  });
  assert.ok(lines.length > contract.operations.size);
  const main = join(folder, 'calls.ts');
  await writeFile(main, [head, ...lines].join('\n'));
  const program = ts.createProgram([main], {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  });
  const found = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const [line = ''] = file?.text.slice(start).split('\n') ?? [];
    return `${file?.fileName}: ${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
  assert.deepEqual(found, []);
}

function argumentsOf({ definition }: Operation): Arguments {
  const parameters = ((definition['parameters'] ?? []) as readonly JsonValue[]).map((each) => resolve(document, each));
  const known = parameters.filter((each) => exampleOf(each) !== undefined);
  return Object.fromEntries(
    [...Map.groupBy(known, (each) => each['in'] as string)].map(([place, members]) => [
      place,
      Object.fromEntries(members.map((each) => [each['name'], exampleOf(each)])),
    ]),
  );
}

function exampleOf(parameter: JsonObject): JsonValue | undefined {
  const schema = resolve(document, parameter['schema']);
  const [first] = (schema['enum'] ?? schema['examples'] ?? []) as readonly JsonValue[];
  return parameter['example'] ?? schema['default'] ?? first ?? (schema['type'] === 'boolean' ? true : undefined);
}

/** The examples of all media types, as code. */
function bodiesOf({ definition }: Operation): string[] {
  const { content } = resolve(document, definition['requestBody']);
  return Object.values(membersOf(content))
    .flatMap((media) => Object.values(membersOf(membersOf(media)['examples'])))
    .map((example) => toJson(resolve(document, example)['value'] ?? null));
}

/** An object of code; members that are absent are left out. */
function toCode(members: Readonly<Record<string, JsonValue | undefined>>): string {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return `{ ${present.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : toJson(value)}`).join(', ')} }`;
}
