/** Types of parameters, rendered from the description. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderParameters } from '../../scripts/render-parameters.ts';

function render(parameters: readonly object[], shared: object = {}): string {
  const get = { operationId: 'getPlant', parameters };
  const paths = { '/plants/{id}': { get, delete: { operationId: 'deletePlant' } } };
  return renderParameters(JSON.stringify({ paths, components: { parameters: shared } }));
}

describe('renderParameters()', () => {
  it('renders a type for each operation with parameters, and a table of all operations', () => {
    const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } };
    assert.equal(
      render([{ $ref: '#/components/parameters/id' }], { id: { ...id, description: 'Which one.' } }),
      `/** Parameters of getPlant. */
export interface GetPlantParameters {
  /** Which one. */
  readonly id: bigint;
}

/** What each operation takes: its parameters, its body or the rows of its body, and whether it needs no token. */
export interface Operations {
  readonly getPlant: { readonly parameters: GetPlantParameters };
  readonly deletePlant: object;
}
`,
    );
  });

  it('names the same parameters twice, and writes them once', () => {
    const get = { operationId: 'getPlant', parameters: [{ name: 'tag', in: 'query', schema: { type: 'string' } }] };
    const text = renderParameters(
      JSON.stringify({ paths: { '/': { get, put: { ...get, operationId: 'putPlant' } } } }),
    );
    assert.ok(text.includes('\nexport type PutPlantParameters = GetPlantParameters;\n'), text);
  });

  it('renders bodies, rows and public operations', () => {
    const plant = { $ref: '#/components/schemas/Plant' };
    const post = { operationId: 'put', requestBody: { content: { 'application/json': { schema: plant } } } };
    const put = { operationId: 'import', requestBody: { content: { 'text/csv': { 'x-row-schema': plant } } } };
    const get = { operationId: 'read', security: [] };
    const patch = { operationId: 'nothing' };
    const text = renderParameters(JSON.stringify({ paths: { '/': { post, put, get, patch } } }));
    for (const row of [
      'readonly put: { readonly body: Plant };',
      'readonly import: { readonly row: Plant };',
      'readonly read: { readonly isPublic: true };',
      'readonly nothing: object;',
    ])
      assert.ok(text.includes(`\n  ${row}\n`), text);
  });

  const cases: [parameter: object, member: string][] = [
    [{ name: 'tag', in: 'query', schema: { type: 'string' } }, 'readonly tag?: string;'],
    [
      { name: 'limit', in: 'query', schema: { type: 'integer', format: 'int32', default: 1 } },
      'readonly limit: number;',
    ],
    [{ name: 'dryRun', in: 'query', schema: { type: 'boolean', default: false } }, 'readonly dryRun: boolean;'],
    [{ name: 'mode', in: 'query', schema: { enum: ['a', 'b'] } }, "readonly mode?: 'a' | 'b';"],
    [
      { name: 'If-None-Match', in: 'header', schema: { $ref: '#/components/schemas/VersionList' } },
      "readonly ifNoneMatch?: '*' | readonly string[];",
    ],
    [{ name: 'Last-Event-ID', in: 'header', schema: { type: 'string' } }, 'readonly lastEventID?: string;'],
  ];
  for (const [parameter, member] of cases) {
    it(`renders ${member}`, () => {
      const text = render([parameter]);
      assert.ok(text.includes(`\n  ${member}\n`), text);
    });
  }

  it('rejects a dangling reference and an unknown type', () => {
    assert.throws(() => render([{ $ref: '#/components/parameters/id' }]), /does not exist/);
    assert.throws(() => render([{ name: 'day', in: 'query', schema: { type: 'date' } }]), /getPlant\.day/);
  });
});
