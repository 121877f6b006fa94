/** What the documentation page changes about the description before it shows it, and what it leaves. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { PlantClient } from '../../src/client/client.ts';
import { toReadable } from '../../console/docs/readable-description.ts';

const contract = JSON.parse(await readFile(join(import.meta.dirname, '..', '..', 'openapi.json'), 'utf8')) as {
  readonly paths: Readonly<Record<string, unknown>>;
};
const example = {
  summary: '40402 No plant',
  description: 'Nothing | *here*.',
  value: { error: 40402, message: 'a_b' },
};
const idSchema = {
  type: 'integer',
  minimum: -9223372036854775808n,
  maximum: 9223372036854775807n,
  description: 'An id.',
};
const description = {
  openapi: '3.1.0',
  info: { title: 'Plants', description: 'Text, see http://127.0.0.1:3000/plants.\n' },
  servers: [{ url: 'http://127.0.0.1:3000' }],
  paths: { '/plants': { get: { summary: 'List | plants', 'x-scope': 'plants:read' } } },
  components: {
    schemas: {
      Id: idSchema,
      Page: { type: 'integer', minimum: 1, maximum: 9 },
    },
    examples: { plant_unknown: example },
    responses: {
      Missing: { content: { json: { examples: { plant_unknown: { $ref: '#/components/examples/plant_unknown' } } } } },
    },
  },
};
const readable = toReadable(description, 'https://plants.example/api');
const { schemas, responses } = readable['components'] as Record<string, Record<string, unknown> | undefined>;

describe('toReadable()', () => {
  it('says bounds in words that a double would round, and leaves the others', () => {
    const words = 'From `-9223372036854775808` to `9223372036854775807`.\n\nAn id.';
    assert.ok(schemas !== undefined);
    assert.deepEqual(schemas['Id'], { type: 'integer', description: words });
    assert.deepEqual(schemas['Page'], description.components.schemas.Page);
  });

  it('puts examples in the place of their references, and lists all operations and errors', () => {
    assert.deepEqual(responses?.['Missing'], { content: { json: { examples: { plant_unknown: example } } } });
    assert.deepEqual(readable['info'], {
      title: 'Plants',
      description:
        'Text, see https://plants.example/api/plants.\n\n\n## All operations\n\n| Operation | Scope | What it does |\n| --- | --- | --- |\n' +
        '| `GET /plants` | plants:read | List \\| plants |\n\n## All errors\n\n### 40402: a\\_b\n\nNothing \\| \\*here\\*.\n',
    });
  });

  it('puts the client of the package first among the samples, with methods that it has', () => {
    const paths = Object.fromEntries(Object.entries(contract.paths).map(([path, item]) => [path, item]));
    const shown = toReadable({ ...description, paths }, 'https://plants.example/api');
    let samples = 0;
    for (const item of Object.values(
      shown['paths'] as Record<string, Record<string, { 'x-codeSamples'?: { source: string }[] }>>,
    )) {
      for (const { 'x-codeSamples': [sample] = [] } of Object.values(item)) {
        if (sample === undefined) continue;
        samples += 1;
        assert.ok(sample.source.includes("url: 'https://plants.example/api'"));
        for (const [, method = ''] of sample.source.matchAll(/client\.(\w+)\(/g))
          assert.ok(method in PlantClient.prototype, method);
      }
    }
    assert.equal(samples, 24);
  });

  it('names the server that the page came from', () => {
    assert.deepEqual(
      (readable['servers'] as { url: string }[]).map(({ url }) => url),
      ['https://plants.example/api'],
    );
  });
});
