/**
 * The schemas of the tools use only what the documentation of OpenAI (function calling), Anthropic (strict tool use) and
 * Google (FunctionDeclaration) all allow. Some hosts refuse a session for one property of one tool.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tools } from '../../src/mcp/tools.ts';

interface ArgumentSchema {
  readonly type: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: ArgumentSchema;
  readonly minItems?: number;
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, ArgumentSchema>>;
  readonly required: readonly string[];
}

describe('the arguments of the tools', () => {
  for (const { name, description, inputSchema } of tools.map((tool) => tool.description))
    it(`of ${name} have schemas that the models of all makers take`, () => {
      assert.match(name, /^[a-z_][a-z0-9_]{0,63}$/);
      assert.ok(typeof description === 'string' && description.length <= 1_024);
      const { properties, required, ...root } = inputSchema as unknown as ObjectSchema;
      assert.deepEqual(root, { type: 'object', additionalProperties: false });
      assert.deepEqual(
        required.filter((each) => !Object.hasOwn(properties, each)),
        [],
      );
      for (const [argument, schema] of Object.entries(properties)) {
        assert.match(argument, /^[a-z_][a-z0-9_]{0,63}$/);
        const { items, minItems = 0, ...one } = schema;
        assert.equal(items !== undefined, schema.type === 'array', argument);
        // Anthropic: no other limit of a list.
        assert.ok(minItems === 0 || minItems === 1, argument);
        for (const { type, enum: values, ...rest } of [one, ...(items === undefined ? [] : [items])]) {
          assert.ok(
            ['string', 'integer', 'boolean', ...(items === undefined ? [] : ['array'])].includes(type),
            argument,
          );
          assert.ok(values === undefined || type === 'string', argument);
          assert.deepEqual({ ...rest, description: '' }, { description: '' }, argument);
        }
        assert.equal(typeof schema.description, 'string', argument);
      }
    });
});
