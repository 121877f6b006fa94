/** The statements of one commit of creates, on transactions that the test plays. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ServiceError } from '../../../src/domain/errors.ts';
import { Committer } from '../../../src/store/postgres/commit/committer.ts';
import { undivided } from '../../../src/store/postgres/division.ts';
import { Transactions } from '../../../src/store/postgres/connect/transactions.ts';

it('all statements of a commit have one deadline: a read does not begin the time again', async (t) => {
  const unused = {} as never;
  const transactions = new Transactions(unused, unused, () => undefined);
  // The id is taken, then the plant is gone, then it is created.
  const results = [[1n], new Map(), []];
  const deadlines: unknown[] = [];
  t.mock.method(transactions, 'runAutocommit', async (_: unknown, { deadline }: { readonly deadline: unknown }) => {
    deadlines.push(deadline);
    return results.shift();
  });
  const committer = new Committer(
    transactions,
    () => 0,
    () => undivided,
  );
  assert.deepEqual(await committer.commit([{ kind: 'create', plant: { id: 1n, name: 'fern' } }]), ['created']);
  const [first] = deadlines;
  assert.equal(typeof first, 'number');
  assert.deepEqual(deadlines, [first, first, first]);
});

it('a plant that was stored is not refused because the read of its neighbour failed', async (t) => {
  const unused = {} as never;
  const transactions = new Transactions(unused, unused, () => undefined);
  const results = [() => Promise.resolve([1n]), () => Promise.reject(new ServiceError('store_unavailable'))];
  t.mock.method(transactions, 'runAutocommit', () => results.shift()?.());
  const committer = new Committer(
    transactions,
    () => 0,
    () => undivided,
  );
  const creates = [1n, 2n].map((id) => ({ kind: 'create', plant: { id, name: 'fern' } }) as const);
  assert.deepEqual(await committer.commit(creates), [{ refused: 'store_unavailable' }, 'created']);
});
