/** Compares openapi.yaml with the given interface and, in both directions, with the error registry. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { membersOf, parseDescription, resolve } from '../../src/contract/description.ts';
import type { Operation } from '../../src/contract/operations.ts';
import type { JsonObject } from '../../src/json/parse-json.ts';
import { errors } from '../../src/domain/error-registry.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { contract, sample } from '../support/read-contract.ts';

const { document } = contract;
const components = membersOf(document['components']);
const createPlant = contract.operations.get('createPlant')?.definition ?? {};

for (const [name, described] of Object.entries({ 'openapi.yaml': contract, 'sample/openapi.yaml': sample })) {
  const { document } = described;
  const operation = described.operations.get('createPlant')?.definition ?? {};
  const schemas = membersOf(membersOf(document['components'])['schemas']);
  const responseOf = (status: string): JsonObject => resolve(document, membersOf(operation['responses'])[status]);

  describe(`the given interface, in ${name}`, () => {
    it('is OpenAPI 3.1.0, version 1.0.0, MIT, with a global bearer token', () => {
      const info = membersOf(document['info']);
      assert.equal(document['openapi'], '3.1.0');
      assert.equal(info['version'], '1.0.0');
      assert.equal(membersOf(info['license'])['name'], 'MIT');
      assert.deepEqual(document['security'], [{ bearerAuth: [] }]);
      const { type, scheme } = membersOf(membersOf(membersOf(document['components'])['securitySchemes'])['bearerAuth']);
      assert.deepEqual({ type, scheme }, { type: 'http', scheme: 'bearer' });
    });

    it('creates with POST /plants, protected, without parameters', () => {
      assert.equal(described.paths.find('/plants')?.operations.get('POST')?.operationId, 'createPlant');
      assert.equal(operation['security'], undefined);
      assert.equal(operation['parameters'], undefined);
      assert.match(operation['description'] as string, /^Creates a new plant in the store/);
    });

    it('requires a NewPlant, and returns 200 with a Plant or 400 with an Error, all as JSON only', () => {
      assert.equal(membersOf(operation['requestBody'])['required'], true);
      assert.deepEqual(jsonSchemaOf(operation['requestBody']), { $ref: '#/components/schemas/NewPlant' });
      assert.deepEqual(jsonSchemaOf(responseOf('200')), { $ref: '#/components/schemas/Plant' });
      assert.deepEqual(jsonSchemaOf(responseOf('400')), { $ref: '#/components/schemas/Error' });
      assert.deepEqual(
        described.operations.get('createPlant')?.statuses.filter((status) => status < 400),
        [200],
      );
    });

    it('has the members, types, words and required members of each schema, and allows others', () => {
      const plant = membersOf(schemas['Plant']);
      assertMembers(plant, {
        name: ['string', undefined, 'The name of the plant'],
        tag: ['string', undefined, 'Tag that specifies the type'],
      });
      assert.deepEqual(plant['required'], ['name']);

      const [base, own] = membersOf(schemas['NewPlant'])['allOf'] as [JsonObject, JsonObject];
      assert.deepEqual(base, { $ref: '#/components/schemas/Plant' });
      assertMembers(own, { id: ['integer', 'int64', 'Identification number of the plant'] });
      assert.deepEqual(own['required'], ['id']);

      const error = membersOf(schemas['Error']);
      assertMembers(error, {
        error: ['integer', 'int32', 'Numeric error value'],
        message: ['string', undefined, 'Error message text'],
      });
      assert.deepEqual(error['required'], ['error', 'message']);

      for (const schema of [plant, own, error]) assert.equal(schema['additionalProperties'], undefined);
    });
  });
}

describe('sample/openapi.yaml', () => {
  it('has nothing but the given interface', () => {
    assert.deepEqual(
      [...sample.operations.values()].map(({ method, path, statuses }) => [method, path, statuses]),
      [['POST', '/plants', [200, 400]]],
    );
    assert.deepEqual(Object.keys(membersOf(sample.document['components'])), ['securitySchemes', 'schemas']);
    const { Plant, NewPlant, Error, ...others } = membersOf(membersOf(sample.document['components'])['schemas']);
    assert.deepEqual(others, {});
    assert.doesNotMatch(JSON.stringify([Plant, NewPlant, Error]), /M(?:in|ax)|minimum|maximum|pattern|example/i);
  });
});

it('openapi.yaml limits the id to exactly int64', () => {
  const [, own] = schemaOf('NewPlant')['allOf'] as [JsonObject, JsonObject];
  const { minimum, maximum } = membersOf(membersOf(own['properties'])['id']);
  assert.deepEqual([minimum, maximum], [-9223372036854775808n, 9223372036854775807n]);
});

describe('the examples of errors', () => {
  const examples = membersOf(components['examples']);

  it('equal the registry in number and message', () => {
    const registered = Object.entries(errors).map(([code, { number, message }]) => [code, { error: number, message }]);
    const described = Object.entries(examples).map(([code, example]) => [code, membersOf(example)['value']]);
    assert.deepEqual(Object.fromEntries(described), Object.fromEntries(registered));
  });

  it('give the number, the meaning and the remedy', () => {
    for (const [code, { number, meaning, remedy }] of Object.entries(errors)) {
      const { summary, description } = membersOf(examples[code]);
      assert.equal(description, `${meaning} ${remedy}`, code);
      assert.match(typeof summary === 'string' ? summary : '', new RegExp(`^${number} [A-Z]`), code);
    }
  });

  it('each appear in a response of their status, and in no other', () => {
    const placed = new Set<string>();
    for (const [status, response] of responsesOfOperations()) {
      for (const code of codesOf(response)) {
        assert.equal(String(errors[code].number).slice(0, 3), status, `${code} is an example of ${status}`);
        placed.add(code);
      }
    }
    for (const response of Object.values(membersOf(components['responses']))) {
      const codes = codesOf(membersOf(response));
      assert.equal(new Set(codes.map((code) => Math.floor(errors[code].number / 100))).size, 1, codes.join());
      for (const code of codes) placed.add(code);
    }
    for (const code of codesOfReports()) placed.add(code);
    assert.deepEqual([...placed].sort(), Object.keys(errors).sort());
  });

  it('begin with what is wrong with the body, where the schema of one decides', () => {
    for (const { operationId, definition } of contract.operations.values()) {
      const media = Object.values(membersOf(resolve(document, definition['requestBody'])['content']));
      if (media.length === 0 || 'x-row-schema' in membersOf(media[0])) continue;
      const [first] = codesOf(resolve(document, membersOf(definition['responses'])['400']));
      assert.match(first ?? '', /^[a-z]+(?:_request)?_invalid$/, operationId);
    }
  });

  it('of createPlant are all except those of other operations', () => {
    const responses = Object.values(membersOf(createPlant['responses']));
    const codes = responses.flatMap((response) => codesOf(resolve(document, response)));
    const missing = Object.keys(errors).filter((code) => !codes.some((each) => each === code));
    assert.deepEqual(missing, [
      'path_id_invalid',
      'query_invalid',
      'condition_invalid',
      'csv_malformed',
      'csv_header_invalid',
      'row_too_long',
      'webhook_invalid',
      'token_request_invalid',
      'batch_invalid',
      'path_unknown',
      'plant_unknown',
      'webhook_unknown',
      'delivery_unknown',
      'token_unknown',
      'group_unknown',
      'method_not_allowed',
      'delivery_done',
      'webhooks_full',
      'tokens_full',
      'webhook_key_missing',
      'plant_changed',
      'group_taken',
      'position_unknown',
      'precondition_failed',
      'method_unknown',
      'version_unsupported',
    ]);
  });
});

describe('every operation', () => {
  const always = (): boolean => true;
  const needsToken = ({ isPublic }: Operation): boolean => !isPublic;
  /** What can be returned before a handler is called, and for which operations. */
  const ofSteps: Readonly<Record<number, (operation: Operation) => boolean>> = {
    400: always,
    401: needsToken,
    403: ({ scope }) => scope !== undefined,
    406: ({ responseMediaTypes }) => responseMediaTypes.length > 0,
    408: always,
    412: always,
    413: always,
    415: ({ requestMediaTypes }) => requestMediaTypes.length > 0,
    417: always,
    429: needsToken,
    431: always,
    500: always,
    503: needsToken,
  };

  for (const operation of contract.operations.values())
    it(`describes what the steps before its handler can return: ${operation.operationId}`, () => {
      const wanted = Object.keys(ofSteps).map(Number);
      const missing = wanted.filter((status) => ofSteps[status]?.(operation) && !operation.statuses.includes(status));
      assert.deepEqual(missing, []);
    });

  it('is compared with every status that a step of request-steps.ts names in its comment', () => {
    const source = readFileSync(join(import.meta.dirname, '../../src/http/request-steps.ts'), 'utf8');
    const named = [...source.matchAll(/^ {2}\/\*\*((?:;? \d{3})+)/gm)].flatMap(([, of = '']) => of.match(/\d+/g) ?? []);
    const others = [...new Set(named)].filter((status) => !(status in ofSteps)).sort();
    assert.deepEqual(others, ['404', '405', '505'], 'those of requests without an operation');
  });
});

describe('every response', () => {
  it('has the common header fields, and every error is an Error', () => {
    for (const [status, response] of responsesOfOperations()) {
      const headers = membersOf(response['headers']);
      assert.ok('Cache-Control' in headers && 'X-Content-Type-Options' in headers, status);
      if (status >= '400') assert.deepEqual(jsonSchemaOf(response), { $ref: '#/components/schemas/Error' });
    }
  });

  it('has no header field of the connection: a mock server sends what is described, and fails', () => {
    for (const [, response] of responsesOfOperations())
      for (const name of ['Connection', 'Content-Length', 'Trailer', 'Transfer-Encoding'])
        assert.ok(!(name in membersOf(response['headers'])), name);
  });
});

describe('every header field', () => {
  it('has an example if its text has a form: a mock server sends the example, or any text', () => {
    for (const [name, header] of Object.entries(membersOf(components['headers']))) {
      const { schema, example, examples = { only: { value: example ?? '' } } } = membersOf(header);
      const { pattern } = membersOf(schema);
      if (typeof pattern !== 'string') continue;
      for (const each of Object.values(membersOf(examples)))
        assert.match(membersOf(each)['value'] as string, new RegExp(pattern), name);
    }
  });
});

describe('a link', () => {
  it('leads to an operation by parameters that it has', () => {
    const all = Object.values(membersOf(components['links'])).map(membersOf);
    for (const { operationId, parameters } of all) {
      const { definition, path = '' } = contract.operations.get(operationId as string) ?? {};
      assert.ok(definition, operationId as string);
      for (const [name, value] of Object.entries(membersOf(parameters))) {
        assert.ok(path.includes(`{${name}}`), `${path} has no ${name}`);
        assert.match(value as string, /^\$re(?:quest|sponse)\.body#\/id$/);
      }
    }
    const of = (id: string, status: string): string[] =>
      responsesOfOperations([id]).flatMap(([each, { links }]) =>
        each === status ? Object.keys(membersOf(links)) : [],
      );
    assert.deepEqual(of('createPlant', '200').sort(), ['deletePlant', 'getPlant', 'patchPlant', 'putPlant']);
    assert.equal(of('createWebhook', '201').length, 6);
  });
});

describe('a query parameter', () => {
  it('allows an empty value if its schema does: without allowEmptyValue, validators refuse it', () => {
    for (const [key, parameter] of Object.entries(membersOf(components['parameters']))) {
      const { in: place, schema, allowEmptyValue = false } = membersOf(parameter);
      const { type, enum: values, pattern } = membersOf(schema);
      const isEmptyRefused = typeof pattern === 'string' && !new RegExp(pattern).test('');
      const canBeEmpty = type === 'string' && values === undefined && !isEmptyRefused;
      if (place === 'query') assert.equal(allowEmptyValue, canBeEmpty, key);
    }
  });
});

describe('the schema of an object', () => {
  it('names its members, or says that it has any: generators of types take no members to mean none', () => {
    const { Description, WebhookTestEvent } = membersOf(components['schemas']);
    const { info, servers, paths } = membersOf(membersOf(Description)['properties']);
    const { data } = membersOf(membersOf(WebhookTestEvent)['properties']);
    for (const schema of [info, membersOf(servers)['items'], paths, data])
      assert.deepEqual(schema, { type: 'object', additionalProperties: true });
  });
});

describe('parseDescription()', () => {
  it('keeps an integer that a double cannot represent', () => {
    assert.deepEqual(parseDescription('{"a":9007199254740993,"b":[7,0.5],"c":{"d":-9223372036854775808}}'), {
      a: 9007199254740993n,
      b: [7, 0.5],
      c: { d: -9223372036854775808n },
    });
  });

  for (const text of ['', '["a"]', '{"a":']) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      assert.throws(() => parseDescription(text), Error);
    });
  }
});

describe('resolve()', () => {
  it('follows nested references, and rejects dangling and external ones', () => {
    const sample = { a: { $ref: '#/b~1c' }, 'b/c': { $ref: '#/d' }, d: { e: 1 } };
    assert.deepEqual(resolve(sample, sample.a), { e: 1 });
    assert.throws(() => resolve(sample, { $ref: '#/x' }), /nothing is there/);
    assert.throws(() => resolve(sample, { $ref: 'other.yaml#/a' }), /must begin/);
  });
});

function schemaOf(name: string): JsonObject {
  return membersOf(membersOf(components['schemas'])[name]);
}

function responsesOfOperations(ids: readonly string[] = [...contract.operations.keys()]): [string, JsonObject][] {
  return ids.flatMap((id) =>
    Object.entries(membersOf(contract.operations.get(id)?.definition['responses'])).map(
      ([status, response]): [string, JsonObject] => [status, resolve(document, response)],
    ),
  );
}

/** Returns the schema of the only media type, which must be JSON. */
function jsonSchemaOf(holder: JsonObject[string] | undefined): unknown {
  const content = membersOf(membersOf(holder)['content']);
  assert.deepEqual(Object.keys(content), ['application/json']);
  return membersOf(content['application/json'])['schema'];
}

/** Words begin the description of a member; the full description says more. */
function assertMembers(
  schema: JsonObject,
  wanted: Readonly<Record<string, readonly [type: string, format: string | undefined, words: string]>>,
): void {
  const members = membersOf(schema['properties']);
  assert.deepEqual(Object.keys(members), Object.keys(wanted));
  for (const [name, [type, format, words]] of Object.entries(wanted)) {
    const member = membersOf(members[name]);
    assert.deepEqual([member['type'], member['format']], [type, format], name);
    assert.equal((member['description'] as string).slice(0, words.length), words);
  }
}

/** Returns the registry codes of a response's examples; successes have none. */
function codesOf(response: JsonObject): ErrorCode[] {
  return Object.values(membersOf(response['content'])).flatMap((media) =>
    Object.entries(membersOf(membersOf(media)['examples'])).flatMap(([code, example]) => {
      if (typeof membersOf(resolve(document, example)['value'])['error'] !== 'number') return [];
      if (!isErrorCode(code)) assert.fail(`${code} is not in the registry`);
      assert.deepEqual(example, { $ref: `#/components/examples/${code}` });
      return [code];
    }),
  );
}

/** Returns the codes of refused rows in the import's examples; messages equal the registry's. */
function codesOfReports(): ErrorCode[] {
  const examples = ['importPlants', 'batchPlants'].flatMap((operationId) => {
    const { responses } = contract.operations.get(operationId)?.definition ?? {};
    const content = membersOf(membersOf(membersOf(responses)['200'])['content']);
    return Object.values(membersOf(membersOf(content['application/json'])['examples']));
  });
  const rows = examples.flatMap((example) => membersOf(membersOf(example)['value'])['errors'] as JsonObject[]);
  assert.ok(rows.length > 0);
  return rows.map(({ error, message }) => {
    const found = Object.entries(errors).find(([, entry]) => entry.number === error && entry.message === message);
    const code = found?.[0] ?? '';
    if (!isErrorCode(code)) assert.fail(`an example has another message than the registry`);
    return code;
  });
}

function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errors, text);
}
