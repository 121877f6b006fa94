/** Numbers of the description: what is accepted, and the type that code gets. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SchemaCompiler } from '../../src/contract/schema-compiler.ts';
import { parseJson } from '../../src/json/parse-json.ts';

const int32 = { type: 'integer', format: 'int32' };
const schemas = {
  Sample: {
    type: 'object',
    properties: {
      int32,
      orNull: { type: ['integer', 'null'], format: 'int32', minimum: 0 },
      int64: { type: 'integer', format: 'int64' },
      number: { type: 'number', maximum: 10 },
      list: { type: 'array', items: int32 },
    },
  },
};
const compiler = new SchemaCompiler({ components: { schemas } });

describe('SchemaCompiler', () => {
  const sample = { $ref: '#/components/schemas/Sample' };
  // A part of a schema that has been valid before must not find another type.
  for (const schema of [
    sample,
    { allOf: [sample, { type: 'object', properties: { int32, number: { type: 'number' } } }] },
  ]) {
    const validate = compiler.compile(schema);
    const good: readonly [json: string, value: object][] = [
      ['{"int32":-2147483648}', { int32: -2147483648 }],
      ['{"int32":30.0,"orNull":2147483647}', { int32: 30, orNull: 2147483647 }],
      ['{"orNull":null}', { orNull: null }],
      ['{"int64":7}', { int64: 7n }],
      ['{"number":7,"list":[1,2]}', { number: 7, list: [1, 2] }],
      ['{"number":7.5}', { number: 7.5 }],
    ];
    for (const [json, value] of good)
      it(`returns the numbers of ${json} as their types say`, () => {
        const parsed = parseJson(json);
        assert.equal(validate(parsed), undefined);
        assert.deepEqual({ ...(parsed as object) }, value);
      });
    for (const json of ['2147483648', '1.5', '1e300', '"3"', 'null', '[1]'])
      it(`refuses ${json} for an int32`, () =>
        assert.equal(validate(parseJson(`{"int32":${json}}`))?.keyword, 'numeric'));
    for (const json of [
      '{"orNull":-1}',
      '{"int64":null}',
      '{"int64":9223372036854775808}',
      '{"number":11}',
      '{"list":[1.5]}',
    ])
      it(`refuses ${json}`, () => assert.equal(validate(parseJson(json))?.keyword, 'numeric'));
  }

  it('does not compile what it would not check', () => {
    for (const schema of [{ type: ['integer', 'string'] }, { ...int32, enum: [1, 2] }])
      assert.throws(() => compiler.compile(schema), /^Error: Cannot compile schema: "\w+" beside the type integer$/);
  });

  it('does not compile a keyword that it does not know, in any schema', () => {
    for (const schema of [
      { anyOf: [{ type: 'string' }] },
      { type: 'string', nullable: true },
      { ...int32, multipleOf: 2 },
      { allOf: [{ type: 'object', patternProperties: {} }] },
      { type: 'object', properties: { a: { not: {} } } },
      { type: 'array', items: { contains: {} } },
      { type: 'object', additionalProperties: { if: {} } },
    ])
      assert.throws(() => compiler.compile(schema), /^Error: Cannot compile schema: its keyword "\w+" is unknown$/);
    assert.throws(() => new SchemaCompiler({ components: { schemas: { Sample: { 'x-a': 1 } } } }), /"x-a" is unknown$/);
  });
});
