/** The contract as the service uses it: operations, paths, and validated bodies. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationId } from '../../src/contract/load-contract.ts';
import { ServiceError } from '../../src/domain/errors.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { parseJson } from '../../src/json/parse-json.ts';
import { contract, toContract } from '../support/read-contract.ts';

const astral = '\u{1F33F}';

describe('operations', () => {
  it('have the requirements and responses of createPlant', () => {
    const { definition, ...facts } = contract.operations.get('createPlant') ?? assert.fail();
    assert.equal(definition['operationId'], 'createPlant');
    assert.deepEqual(facts, {
      operationId: 'createPlant',
      method: 'POST',
      path: '/plants',
      scope: 'plants:write',
      isPublic: false,
      requestMediaTypes: ['application/json'],
      responseMediaTypes: ['application/json'],
      statuses: [200, 400, 401, 403, 406, 408, 409, 412, 413, 415, 417, 429, 431, 500, 503],
    });
  });

  it('are public only as described', () => {
    const open = [...contract.operations.values()].filter(({ isPublic }) => isPublic);
    assert.deepEqual(
      open.map(({ operationId }) => operationId),
      [
        'getRoot',
        'getDescriptionJson',
        'getDescriptionYaml',
        'getSampleJson',
        'getSampleYaml',
        'getLiveness',
        'getReadiness',
      ],
    );
    assert.deepEqual(contract.operations.get('getRoot')?.responseMediaTypes, ['application/json', 'text/html']);
  });

  const invalid = [
    ['has no operationId', '{}'],
    ['names an unknown scope', '{ operationId: a, x-scope: all }'],
    ['leads nowhere', "{ operationId: a, responses: { '200': { $ref: '#/nowhere' } } }"],
  ] as const;
  for (const [about, operation] of invalid) {
    it(`reject one that ${about}`, () => {
      assert.throws(() => toContract(`paths: { /a: { get: ${operation} } }`), Error);
    });
  }

  it('reject duplicate names', () => {
    assert.throws(() => toContract('paths: { /a: { get: { operationId: a }, put: { operationId: a } } }'), /Two/);
  });
});

describe('paths.find()', () => {
  const sample = toContract(`
paths:
  /plants/{id}: { get: { operationId: one }, delete: { operationId: remove } }
  /plants/tags: { get: { operationId: tags } }
`);
  const cases: [method: string, path: string, operationId: string | undefined, allowed: string][] = [
    ['GET', '/plants/7', 'one', 'DELETE,GET,HEAD'],
    ['HEAD', '/plants/7', 'one', 'DELETE,GET,HEAD'],
    ['DELETE', '/plants/7', 'remove', 'DELETE,GET,HEAD'],
    ['get', '/plants/7', undefined, 'DELETE,GET,HEAD'],
    ['GET', '/plants/tags', 'tags', 'GET,HEAD'],
    ['DELETE', '/plants/tags', undefined, 'GET,HEAD'],
    ['GET', '/plants/', undefined, ''],
    ['GET', '/plants/7/', undefined, ''],
    ['GET', '/Plants/7', undefined, ''],
    ['GET', '//plants/7', undefined, ''],
    ['GET', '/plants/__proto__/x', undefined, ''],
  ];
  for (const [method, path, operationId, allowed] of cases) {
    it(`${method} ${path} is ${operationId ?? 'none'}`, () => {
      assert.equal(sample.paths.find(path)?.operations.get(method)?.operationId, operationId);
      assert.equal(sample.paths.find(path)?.methods.join() ?? '', allowed);
    });
  }
});

describe('parsers', () => {
  for (const { operationId, requestMediaTypes } of contract.operations.values()) {
    it(`of ${operationId} compile: the service makes them at its first request`, () => {
      const id = operationId as OperationId;
      contract.parseParameters(id);
      if (requestMediaTypes.length > 0) contract.parseBody(id, 'plant_invalid');
    });
  }
});

describe('parseBody("createPlant")', () => {
  const parse = contract.parseBody('createPlant', 'plant_invalid');

  const good: [name: string, json: string][] = [
    ['a plant with a tag', '{"id":7,"name":"Monstera","tag":"climber"}'],
    ['a plant without a tag', '{"id":7,"name":"Monstera"}'],
    ['empty texts', '{"id":0,"name":"","tag":""}'],
    ['the least id', '{"id":-9223372036854775808,"name":"a"}'],
    ['the greatest id', '{"id":9223372036854775807,"name":"a"}'],
    ['an integer in another spelling', '{"id":70e-1,"name":"a"}'],
    ['1000 characters', JSON.stringify({ id: 1, name: 'x'.repeat(1000), tag: 'x'.repeat(1000) })],
    ['1000 characters of two UTF-16 units', JSON.stringify({ id: 1, name: astral.repeat(1000) })],
    ['control characters other than U+0000', '{"id":1,"name":"\\u0001\\n\\u007f\\u2028"}'],
    ['unknown members', '{"id":1,"name":"a","colour":null,"__proto__":{"tag":7},"constructor":{}}'],
  ];
  for (const [name, json] of good) {
    it(`accepts ${name}`, () => {
      const value = parseJson(json);
      assert.equal(parse(value), value);
    });
  }

  const bad: [name: string, json: string, code: ErrorCode, detail: string][] = [
    ['a list', '[]', 'plant_invalid', 'The body must be an object'],
    ['null', 'null', 'plant_invalid', 'The body must be an object'],
    ['a number', '7', 'plant_invalid', 'The body must be an object'],
    ['an object without members', '{}', 'plant_invalid', '"name" is missing'],
    ['no name', '{"id":1}', 'plant_invalid', '"name" is missing'],
    ['no id', '{"name":"a"}', 'plant_invalid', '"id" is missing'],
    ['a name by inheritance', '{"id":1,"__proto__":{"name":"a"}}', 'plant_invalid', '"name" is missing'],
    ['a name in another case', '{"id":1,"Name":"a"}', 'plant_invalid', '"name" is missing'],
    ['a name of null', '{"id":1,"name":null}', 'plant_invalid', '"name" must be a string'],
    ['a name of a number', '{"id":1,"name":1}', 'plant_invalid', '"name" must be a string'],
    ['a tag of null', '{"id":1,"name":"a","tag":null}', 'plant_invalid', '"tag" must be a string'],
    ['a tag of a list', '{"id":1,"name":"a","tag":["b"]}', 'plant_invalid', '"tag" must be a string'],
    ['a name of 1001 characters', longPlant({ name: 'x'.repeat(1001) }), 'plant_invalid', tooLong('name')],
    ['a tag of 1001 characters', longPlant({ tag: 'x'.repeat(1001) }), 'plant_invalid', tooLong('tag')],
    ['1001 astral characters', longPlant({ name: astral.repeat(1001) }), 'plant_invalid', tooLong('name')],
    ['1001, the last astral', longPlant({ name: 'x'.repeat(1000) + astral }), 'plant_invalid', tooLong('name')],
    ['a name with U+0000', '{"id":1,"name":"a\\u0000b"}', 'text_nul', 'Remove it from "name"'],
    ['a tag of U+0000', '{"id":1,"name":"a","tag":"\\u0000"}', 'text_nul', 'Remove it from "tag"'],
    [
      'an id past the greatest',
      '{"id":9223372036854775808,"name":"a"}',
      'plant_id_invalid',
      'It must be from -9223372036854775808 to 9223372036854775807',
    ],
    [
      'an id past the least',
      '{"id":-9223372036854775809,"name":"a"}',
      'plant_id_invalid',
      'It must be from -9223372036854775808 to 9223372036854775807',
    ],
    ['an id with a fraction', '{"id":7.5,"name":"a"}', 'plant_id_invalid', 'It must be an integer'],
    [
      'an endless id',
      '{"id":1e400,"name":"a"}',
      'plant_id_invalid',
      'It must be from -9223372036854775808 to 9223372036854775807',
    ],
    ['an id as text', '{"id":"7","name":"a"}', 'plant_id_invalid', 'It must be a JSON number, not a string'],
    ['an id of null', '{"id":null,"name":"a"}', 'plant_id_invalid', 'It must be a JSON number, not null'],
    ['an id of true', '{"id":true,"name":"a"}', 'plant_id_invalid', 'It must be a JSON number, not a boolean'],
  ];
  for (const [name, json, code, detail] of bad) {
    it(`rejects ${name}`, () => {
      const wanted = new ServiceError(code, detail === '' ? {} : { detail });
      assert.throws(() => parse(parseJson(json)), { code, message: wanted.message });
    });
  }

  it('rejects inherited members', () => {
    assert.throws(() => parse(Object.create({ id: 1n, name: 'a' })), { code: 'plant_invalid' });
  });

  it('rejects an id that a double may have rounded, and a bigint beyond int64', () => {
    assert.throws(() => parse({ id: 7, name: 'a' }), { code: 'plant_id_invalid' });
    assert.throws(() => parse({ id: 2n ** 63n, name: 'a' }), { code: 'plant_id_invalid' });
  });

  it('changes nothing', () => {
    const value = parseJson('{"id":1,"name":" a ","tag":"","x":[1,{"y":null}]}');
    const before = structuredClone(value);
    parse(value);
    assert.deepEqual(structuredClone(value), before);
  });
});

describe('parseBody() of the other operations', () => {
  const good = [
    ['putPlant', '{"name":"a"}'],
    ['putPlant', '{"id":"any","name":"a","tag":""}'],
    ['patchPlant', '{}'],
    ['patchPlant', '{"name":""}'],
    ['patchPlant', '{"tag":null}'],
    ['patchPlant', '{"tag":"b","id":null}'],
    ['importPlants', '{"id":9223372036854775807,"name":"a"}'],
  ] as const;
  for (const [operationId, json] of good) {
    it(`accepts ${json} for ${operationId}`, () => {
      const value = parseJson(json);
      assert.equal(contract.parseBody(operationId, 'plant_invalid')(value), value);
    });
  }

  const bad: ['putPlant' | 'patchPlant' | 'importPlants', json: string, code: ErrorCode, detail: string][] = [
    ['putPlant', '{"tag":"b"}', 'plant_invalid', '"name" is missing'],
    ['putPlant', '{"name":"a","tag":null}', 'plant_invalid', '"tag" must be a string'],
    ['putPlant', '{"name":"\\u0000"}', 'text_nul', 'Remove it from "name"'],
    ['putPlant', JSON.stringify({ name: 'x'.repeat(1001) }), 'plant_invalid', tooLong('name')],
    ['patchPlant', '[]', 'plant_invalid', 'The body must be an object'],
    ['patchPlant', 'null', 'plant_invalid', 'The body must be an object'],
    ['patchPlant', '{"name":null}', 'plant_invalid', '"name" must be a string'],
    ['patchPlant', '{"tag":7}', 'plant_invalid', '"tag" must be a string or null'],
    ['patchPlant', '{"tag":"\\u0000"}', 'text_nul', 'Remove it from "tag"'],
    ['patchPlant', JSON.stringify({ tag: 'x'.repeat(1001) }), 'plant_invalid', tooLong('tag')],
    ['importPlants', '{"name":"a"}', 'plant_invalid', '"id" is missing'],
    ['importPlants', '{"id":"7","name":"a"}', 'plant_id_invalid', 'It must be a JSON number, not a string'],
  ];
  for (const [operationId, json, code, detail] of bad) {
    it(`rejects ${json.slice(0, 40)} for ${operationId}`, () => {
      const wanted = new ServiceError(code, detail === '' ? {} : { detail });
      assert.throws(() => contract.parseBody(operationId, 'plant_invalid')(parseJson(json)), {
        code,
        message: wanted.message,
      });
    });
  }
});

function longPlant(members: object): string {
  return JSON.stringify({ id: 1, name: 'a', ...members });
}

function tooLong(member: string): string {
  return `"${member}" must have at most 1000 characters (Unicode code points)`;
}
