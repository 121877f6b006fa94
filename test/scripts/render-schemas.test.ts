/** Types of schemas: what the description does not have. generate.test.ts tests the others. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderSchemas } from '../../scripts/render-schemas.ts';

function render(schemas: Readonly<Record<string, unknown>>): string {
  const text = renderSchemas(JSON.stringify({ components: { schemas } }));
  return text.slice(text.indexOf('\n\n') + 2);
}

describe('renderSchemas()', () => {
  it('does not end a comment early', () => {
    const text = render({ A: { type: 'string', description: 'Any */ text.' } });
    assert.ok(text.startsWith('/** Any *\\/ text. */\n'), text);
  });

  it('repeats an inherited member only if it becomes required', () => {
    const text = render({
      A: { properties: { name: { type: 'string' }, tag: { type: 'string' } }, required: ['name'] },
      B: { allOf: [{ $ref: '#/components/schemas/A' }], required: ['name', 'tag'] },
    });
    assert.match(text, /export interface B extends A \{\n {2}readonly tag: string;\n\}/);
  });

  const types: [Record<string, unknown>, string][] = [
    [{ type: 'integer' }, 'bigint'],
    [{ type: 'number' }, 'number'],
    [{ enum: ['a', "b's"] }, "'a' | 'b\\'s'"],
    [{ type: 'array', items: { type: 'array' } }, 'readonly (readonly unknown[])[]'],
    [{ type: 'object', additionalProperties: { type: 'boolean' } }, 'Readonly<Record<string, boolean>>'],
    [
      { type: 'object', properties: { a: {}, 'b-c': {} }, required: ['a'] },
      "{ readonly a: unknown; readonly 'b-c'?: unknown }",
    ],
  ];
  for (const [schema, expected] of types) {
    it(`renders ${JSON.stringify(schema)} as ${expected}`, () => {
      const text = render({ A: { properties: { member: schema } } });
      assert.ok(text.includes(`  readonly member?: ${expected};\n`), text);
    });
  }

  for (const [fault, schema] of [
    ['an unknown type', { type: 'date' }],
    ['a reference that leads elsewhere', { $ref: 'other.yaml#/Plant' }],
    ['a required member that no property describes', { properties: {}, required: ['name'] }],
    ['a value that is no simple one', { const: {} }],
  ] as const) {
    it(`rejects ${fault}`, () => {
      assert.throws(() => render({ A: schema }), /^Error: Cannot render schema/);
    });
  }
});
