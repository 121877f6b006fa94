/** What a store reports and when it ends, with an adapter that the test plays. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../../src/domain/errors.ts';
import { openQueuedStore, type StoreAdapter } from '../../src/store/queued-store.ts';

it('counts each write that is refused before its body is read, with its reason, and no look at the state', () => {
  const unused = {} as never;
  const refused: string[] = [];
  let isAway = true;
  const store = openQueuedStore(
    {
      ...{ commit: unused, plants: unused, tokens: unused, changes: unused, webhooks: unused, trimChanges: unused },
      ...{ commitsMax: 1, ping: unused, failed: unused, close: unused },
      findAbsence: () => (isAway ? new ServiceError('store_unavailable') : undefined),
    },
    {
      limits: { writesMax: 10, bytesMax: 10_000_000 },
      observer: { onCommit: unused, onLogFull: unused, onRead: unused, onRefused: ({ code }) => refused.push(code) },
    },
  );
  assert.equal(store.isBusy(), true);
  assert.deepEqual(refused, []);
  assert.throws(() => store.requireWritable(), { code: 'store_unavailable' });
  assert.deepEqual(refused, ['store_unavailable']);
  isAway = false;
  assert.equal(store.isBusy(), false);
  store.requireWritable();
  assert.deepEqual(refused, ['store_unavailable']);
});

it('close() ends the adapter once, after the step of a trim that runs', async () => {
  const step = Promise.withResolvers<boolean>();
  let isTrimming = false;
  let ends = 0;
  const unused = {} as never;
  const adapter: StoreAdapter = {
    commit: async (writes) => writes.map(() => []),
    commitsMax: 1,
    plants: unused,
    tokens: unused,
    changes: unused,
    webhooks: unused,
    trimChanges: () => {
      isTrimming = true;
      return step.promise;
    },
    ping: () => undefined,
    failed: new Promise(() => undefined),
    close: async () => {
      ends += 1;
    },
  };
  const limits = { writesMax: 10, bytesMax: 10_000_000 };
  const store = openQueuedStore(adapter, { limits, changeLimits: { recordsMax: 1, ageMsMax: 1 } });
  const rows = Array.from({ length: 1_000 }, (_, id) => ({ id: BigInt(id), name: 'fern' }));
  await store.plants.import(rows, { onConflict: 'fail', dryRun: false });
  assert.equal(isTrimming, true, 'each row counts');
  const closed = store.close();
  await nextTurn();
  assert.equal(ends, 0);
  step.resolve(false);
  await closed;
  await store.close();
  assert.equal(ends, 1);
});
