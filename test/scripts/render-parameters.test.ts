/** Types of parameters: what the description does not have. generate.test.ts tests the others. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderParameters } from '../../scripts/render-parameters.ts';

function render(parameter: object): string {
  const get = { operationId: 'getPlant', parameters: [parameter] };
  return renderParameters(JSON.stringify({ paths: { '/plants/{id}': { get } } }));
}

describe('renderParameters()', () => {
  it('rejects a dangling reference and an unknown type', () => {
    assert.throws(() => render({ $ref: '#/components/parameters/id' }), /does not exist/);
    assert.throws(() => render({ name: 'day', in: 'query', schema: { type: 'date' } }), /getPlant\.day/);
  });
});
