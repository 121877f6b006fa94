/** Types of schemas, rendered from the description. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderSchemas } from '../../scripts/render-schemas.ts';

const head = '/** Generated from openapi.yaml by `npm run generate`. Do not edit. */\n';

function render(schemas: Readonly<Record<string, unknown>>): string {
  const text = renderSchemas(JSON.stringify({ components: { schemas } }));
  assert.ok(text.startsWith(`${head}\n`));
  return text.slice(head.length + 1);
}

describe('renderSchemas()', () => {
  it('renders an object, its comments, and its bases', () => {
    const plant = {
      type: 'object',
      description: 'A plant.\n  Without its id.\n',
      required: ['name'],
      properties: { name: { type: 'string', description: 'Any */ text.' }, tag: { type: 'string' } },
    };
    const text = render({
      Plant: plant,
      NewPlant: {
        description: 'A plant with its id.',
        allOf: [
          { $ref: '#/components/schemas/Plant' },
          { required: ['name', 'id'], properties: { id: { type: 'integer', format: 'int64' } } },
        ],
      },
    });
    assert.equal(
      text,
      `/** A plant. Without its id. */
export interface Plant {
  /** Any *\\/ text. */
  readonly name: string;
  readonly tag?: string;
}

/** A plant with its id. */
export interface NewPlant extends Plant {
  readonly id: bigint;
}
`,
    );
  });

  it('repeats an inherited member that becomes required', () => {
    const text = render({
      A: { properties: { tag: { type: 'string' } } },
      B: { allOf: [{ $ref: '#/components/schemas/A' }], required: ['tag'] },
    });
    assert.match(text, /export interface B extends A \{\n {2}readonly tag: string;\n\}/);
  });

  it('renames the schema Error, also in references', () => {
    const text = render({
      Error: { type: 'object', properties: { error: { type: 'integer' } } },
      Answer: { $ref: '#/components/schemas/Error' },
    });
    assert.match(text, /export interface ErrorBody \{\n/);
    assert.match(text, /export type Answer = ErrorBody;/);
  });

  it('wraps a long comment at 120 characters', () => {
    const text = render({ A: { type: 'string', description: 'word '.repeat(60) } });
    const lines = text.split('\n');
    assert.equal(lines[0], '/**');
    assert.ok(lines.every((line) => line.length <= 120));
    assert.equal(text.match(/word/g)?.length, 60);
  });

  const types: [Record<string, unknown>, string][] = [
    [{ type: 'integer', format: 'int64' }, 'bigint'],
    [{ type: 'integer', format: 'int32' }, 'number'],
    [{ type: 'integer' }, 'bigint'],
    [{ type: 'number' }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ enum: ['a', "b's"] }, "'a' | 'b\\'s'"],
    [{ const: 1 }, '1'],
    [{ type: 'array', items: { type: 'string' } }, 'readonly string[]'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, "readonly ('a' | 'b')[]"],
    [{ type: 'array', items: { $ref: '#/components/schemas/X' } }, 'readonly X[]'],
    [{ type: 'array', items: { type: 'object' } }, 'readonly Readonly<Record<string, unknown>>[]'],
    [{ type: 'array', items: { type: 'array' } }, 'readonly (readonly unknown[])[]'],
    [{ oneOf: [{ type: 'string' }, { $ref: '#/components/schemas/X' }] }, 'string | X'],
    [{ type: 'object' }, 'Readonly<Record<string, unknown>>'],
    [{ type: 'object', additionalProperties: { type: 'boolean' } }, 'Readonly<Record<string, boolean>>'],
    [
      { type: 'object', properties: { a: {}, 'b-c': {} }, required: ['a'] },
      "{ readonly a: unknown; readonly 'b-c'?: unknown }",
    ],
  ];
  for (const [schema, expected] of types) {
    it(`renders ${JSON.stringify(schema)} as ${expected}`, () => {
      const text = render({ A: { properties: { member: schema } }, X: { type: 'string' } });
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
