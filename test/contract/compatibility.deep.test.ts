/** Breaking changes of the description: `npm run lint:compatibility` fails for them, and a test covers what it does not check. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { membersOf, resolve } from '../../src/contract/description.ts';
import type { JsonObject, JsonValue } from '../../src/json/parse-json.ts';
import type { Contract } from '../../src/contract/load-contract.ts';
import { contract, contractText, toContract } from '../support/read-contract.ts';

const root = join(import.meta.dirname, '..', '..');
const baseline = readFileSync(join(root, 'docs/reference/openapi-baseline.yaml'), 'utf8');

describe('lint:compatibility', () => {
  /** The change, the text in openapi.yaml, its replacement, and what the report says of it. */
  const breaking: [string, string | RegExp, string, string][] = [
    ['an operation that is gone', '\n  /livez:\n', '\n  /alive:\n', '(path-removed)'],
    ['a status that is gone', /\n {8}'409': .*/, '', 'Response `409` was removed'],
    [
      'a media type that is gone',
      '            text/html:\n              schema: { type: string }\n',
      '',
      '`text/html` was removed',
    ],
    [
      'a member of an answer that is gone',
      /\n {8}message:\n.*\n {10}type: string\n/,
      '\n',
      'Property `message` of `ImportError` was removed',
    ],
    [
      'a member of a request that becomes required',
      '\n      required: [name]\n',
      '\n      required: [name, tag]\n',
      'became required: `tag`',
    ],
    ['a narrower type', "type: [string, 'null']", 'type: string', "narrowed from 'string | null' to 'string'"],
    ['a value fewer', 'enum: [fail, skip, replace]', 'enum: [fail, skip]', "Enum lost values: 'replace'"],
    ['a lower limit', 'maximum: 1000, default: 100 ', 'maximum: 999, default: 100 ', "from '<= 1000' to '<= 999'"],
    ['a shorter text', 'maxLength: 1000\n', 'maxLength: 999\n', '`maxLength` of `name` changed'],
  ];
  let report = '';
  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
    let changed = contractText;
    for (const [, text, other] of breaking) changed = change(changed, text, other);
    const path = join(folder, 'changed.yaml');
    writeFileSync(path, changed);
    const { exitCode, output } = await diff(path);
    rmSync(folder, { recursive: true });
    assert.equal(exitCode, 1, output);
    report = output;
  });

  for (const [name, , , wanted] of breaking) {
    it(`fails for ${name}`, () => {
      const lines = report.split('\n');
      const at = lines.findIndex((line) => line.includes(wanted));
      assert.match(lines[at - 1] ?? '', /✖ major/, report);
    });
  }

  it('passes for the current description', async () => {
    assert.equal((await diff(join(root, 'openapi.yaml'))).exitCode, 0);
  });
});

describe('what the gate does not check', () => {
  it('is unchanged: scopes, tokens, defaults, limits beyond a double, response header fields', () => {
    assert.deepEqual(findBreaks(toContract(baseline), contract), []);
  });

  const samples: [string, string | RegExp, string, RegExp][] = [
    ['another scope', 'x-scope: plants:write', 'x-scope: webhooks:manage', /createPlant needs webhooks:manage/],
    ['a token where none was needed', '      security: []\n', '', /getRoot needs a token/],
    ['another default', 'default: 100 ', 'default: 50 ', /listPlants has another default of limit/],
    ['a bound that a double rounds', 'maximum: 9223372036854775807', 'maximum: 9223372036854775806', /NewPlant\.id/],
    [
      'a header field that may be missing',
      /(ETag:\n.*\n.*\n {6})required: true/,
      '$1required: false',
      /getPlant 200 may leave out ETag/,
    ],
  ];
  for (const [name, text, other, wanted] of samples) {
    it(`fails for ${name}`, () => {
      const changed = change(contractText, text, other);
      assert.match(findBreaks(contract, toContract(changed)).join('\n'), wanted);
    });
  }
});

function change(description: string, text: string | RegExp, other: string): string {
  const changed = description.replace(text, other);
  assert.notEqual(changed, description, `${text} is not in the description`);
  return changed;
}

/** Runs the gate's command with the same configuration. */
function diff(revision: string): Promise<{ exitCode: number; output: string }> {
  const command = join(root, 'node_modules/@redocly/cli/bin/cli.js');
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };
  const base = revision.startsWith(root) ? 'docs/reference/openapi-baseline.yaml' : 'openapi.yaml';
  return new Promise((settle) => {
    const child = execFile(
      process.execPath,
      [command, 'diff', base, revision],
      { cwd: root, env },
      (_error, stdout, stderr) => settle({ exitCode: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}

/** Returns one line for each promise of `earlier` that `later` breaks. */
function findBreaks(earlier: Contract, later: Contract): string[] {
  const breaks: string[] = [];
  for (const operation of earlier.operations.values()) {
    const { operationId, definition } = operation;
    const other = later.operations.get(operationId);
    if (other === undefined) return [`${operationId} is gone`];
    if (other.scope !== operation.scope) breaks.push(`${operationId} needs ${other.scope ?? 'no scope'}`);
    if (operation.isPublic && !other.isPublic) breaks.push(`${operationId} needs a token`);
    const defaults = defaultsOf(later, other.definition);
    for (const [name, value] of defaultsOf(earlier, definition)) {
      if (defaults.get(name) !== value) breaks.push(`${operationId} has another default of ${name}`);
    }
    for (const [status, response] of Object.entries(membersOf(definition['responses']))) {
      const required = requiredHeadersOf(later, membersOf(other.definition['responses'])[status]);
      for (const name of requiredHeadersOf(earlier, response)) {
        if (!required.includes(name)) breaks.push(`${operationId} ${status} may leave out ${name}`);
      }
    }
  }
  const bounds = boundsOf(later);
  for (const [place, value] of boundsOf(earlier)) {
    if (bounds.get(place) !== value) breaks.push(`${place} has another bound`);
  }
  return breaks;
}

function defaultsOf({ document }: Contract, definition: JsonObject): Map<string, unknown> {
  const parameters = listOf(definition['parameters']).map((each) => resolve(document, each));
  // A boolean without a default is false.
  return new Map(parameters.map(({ name, schema }) => [name as string, membersOf(schema)['default'] ?? false]));
}

function requiredHeadersOf({ document }: Contract, response: JsonObject[string] | undefined): string[] {
  return Object.entries(membersOf(resolve(document, response)['headers']))
    .filter(([, header]) => resolve(document, header)['required'] === true)
    .map(([name]) => name);
}

/** Returns the limits of the members of each schema, by path. */
function boundsOf({ document }: Contract): Map<string, unknown> {
  const schemas = Object.entries(membersOf(membersOf(document['components'])['schemas']));
  return new Map(
    schemas.flatMap(([name, schema]) => {
      return [schema, ...listOf(membersOf(schema)['allOf'])].flatMap((part) =>
        Object.entries(membersOf(membersOf(part)['properties'])).flatMap(([member, value]) =>
          ['minimum', 'maximum'].map((keyword): [string, unknown] => [
            `${name}.${member} ${keyword}`,
            membersOf(value)[keyword],
          ]),
        ),
      );
    }),
  );
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
