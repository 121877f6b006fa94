/** What creates come to whose ids were free, taken, or deleted since: on a connection that the test plays. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ServiceError } from '../../../src/domain/errors.ts';
import type { Connection, Statement } from '../../../src/store/postgres/connect/connection.ts';
import type { Transactions } from '../../../src/store/postgres/connect/transactions.ts';
import { commitCreates, type Create } from '../../../src/store/postgres/commit/commit-creates.ts';
import { refuse } from '../../../src/store/write.ts';

type Row = readonly unknown[];

function create(id: bigint, name: string): Create {
  return { kind: 'create', plant: { id, name } };
}

const writes = [create(1n, 'Fern'), create(2n, 'Fern'), create(1n, 'Fern'), create(1n, 'Basil')];

/** @param rows what each statement returns. */
function commit(rows: { readonly 'create-plants': readonly Row[]; readonly 'lock-plants'?: readonly Row[] | Error }) {
  const connection = {
    run: async ({ name }: Statement, [ids]: readonly unknown[]) => {
      if (name === 'create-plants') assert.deepEqual(ids, [1n, 2n], 'each id is sent once');
      const found = rows[name as keyof typeof rows];
      if (found instanceof Error) throw found;
      return { rows: found ?? assert.fail(name) };
    },
  } as unknown as Connection;
  const runAutocommit: Transactions['runAutocommit'] = (work) => work(connection);
  return commitCreates({ runAutocommit } as unknown as Transactions, () => 0, writes, Infinity);
}

describe('commitCreates()', () => {
  const taken = refuse('plant_id_taken');

  it('creates the first of an id, and compares the others with it', async () => {
    assert.deepEqual(await commit({ 'create-plants': [] }), ['created', 'created', 'replayed', taken]);
  });

  it('compares all of a taken id with the plant that has it', async () => {
    const rows = { 'create-plants': [[1n]], 'lock-plants': [[1n, 'Basil', null]] };
    assert.deepEqual(await commit(rows), [taken, 'created', taken, 'replayed']);
  });

  it('has nothing of a taken id whose plant is gone, and the refusal where it cannot be read', async () => {
    const gone = { 'create-plants': [[1n]], 'lock-plants': [] };
    assert.deepEqual(await commit(gone), [undefined, 'created', undefined, undefined]);
    const busy = refuse('store_busy');
    const rows = { 'create-plants': [[1n]], 'lock-plants': new ServiceError('store_busy') };
    assert.deepEqual(await commit(rows), [busy, 'created', busy, busy]);
  });
});
