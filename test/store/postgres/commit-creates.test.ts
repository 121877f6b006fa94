/** What creates come to whose ids were free, taken, or deleted since: without a database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Create, firstOfEach, toOutcomes } from '../../../src/store/postgres/commit/commit-creates.ts';
import { refuse } from '../../../src/store/write.ts';

function create(id: bigint, name: string): Create {
  return { kind: 'create', plant: { id, name } };
}

describe('toOutcomes()', () => {
  const writes = [create(1n, 'Fern'), create(2n, 'Fern'), create(1n, 'Fern'), create(1n, 'Basil')];
  const firsts = firstOfEach(writes);
  const taken = refuse('plant_id_taken');

  it('creates the first of an id, and compares the others with it', () => {
    assert.deepEqual(toOutcomes(writes, firsts, [], new Map()), ['created', 'created', 'replayed', taken]);
  });

  it('compares all of a taken id with the plant that has it', () => {
    const stored = new Map([[1n, { id: 1n, name: 'Basil' }]]);
    assert.deepEqual(toOutcomes(writes, firsts, [1n], stored), [taken, 'created', taken, 'replayed']);
  });

  it('has nothing of a taken id whose plant is gone, and the refusal where it cannot be read', () => {
    assert.deepEqual(toOutcomes(writes, firsts, [1n], new Map()), [undefined, 'created', undefined, undefined]);
    const busy = refuse('store_busy');
    assert.deepEqual(toOutcomes(writes, firsts, [1n, 2n], new Map([[2n, busy]])), [
      undefined,
      busy,
      undefined,
      undefined,
    ]);
  });
});
