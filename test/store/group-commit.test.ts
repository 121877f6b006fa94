/** GroupCommit alone, with a commit that the test ends by hand: no database, no thread, no clock. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../../src/domain/errors.ts';
import { type CommitBatch, GroupCommit, type QueueLimits } from '../../src/store/group-commit.ts';
import { bytesOf, type Write } from '../../src/store/write.ts';

type CreateWrite = Extract<Write, { kind: 'create' }>;

interface OpenBatch {
  /** The ids of its writes, in order. */
  readonly ids: bigint[];
  readonly commit: (outcomes?: Awaited<ReturnType<CommitBatch>>) => void;
  readonly fail: (error: Error) => void;
}

/** A queue whose batches wait until the test commits them. */
function openQueue(limits: Partial<QueueLimits> = {}): { queue: GroupCommit; batches: OpenBatch[] } {
  const batches: OpenBatch[] = [];
  const commit: CommitBatch = (writes) =>
    new Promise((resolve, reject) => {
      batches.push({
        ids: writes.map((write) => (write as CreateWrite).plant.id),
        commit: (outcomes = writes.map(() => 'created')) => resolve(outcomes),
        fail: reject,
      });
    });
  return { queue: new GroupCommit(commit, { writesMax: 10_000, bytesMax: 1e9, ...limits }), batches };
}

function makeWrite(id: number, name = 'fern'): CreateWrite {
  return { kind: 'create', plant: { id: BigInt(id), name } };
}

function batchAt(batches: readonly OpenBatch[], index: number): OpenBatch {
  const batch = batches[index];
  assert.ok(batch, `batch ${index} is being committed`);
  return batch;
}

/** Notes what a promise came to, so that "not yet" can be asserted. */
function watch(promise: Promise<unknown>): { outcome: unknown } {
  const watched = { outcome: 'pending' as unknown };
  promise.then(
    (value) => (watched.outcome = value),
    (error: unknown) => (watched.outcome = error instanceof ServiceError ? error.code : error),
  );
  return watched;
}

const range = (from: number, to: number): bigint[] => Array.from({ length: to - from + 1 }, (_, n) => BigInt(from + n));

describe('submit()', () => {
  it('commits the writes of one turn together and in order', async () => {
    const { queue, batches } = openQueue();
    const outcomes = [1, 2, 3].map((id) => queue.submit(makeWrite(id)));
    await nextTurn();
    assert.deepEqual(batchAt(batches, 0).ids, [1n, 2n, 3n]);
    batchAt(batches, 0).commit(['created', 'replayed', 'created']);
    assert.deepEqual(await Promise.all(outcomes), ['created', 'replayed', 'created']);
    assert.equal(batches.length, 1);
  });

  it('collects the next batch while one is being committed, and answers none before its own commit', async () => {
    const { queue, batches } = openQueue();
    const first = watch(queue.submit(makeWrite(1)));
    await nextTurn();
    const later = [2, 3].map((id) => watch(queue.submit(makeWrite(id))));
    await nextTurn();
    later.push(watch(queue.submit(makeWrite(4))));
    await nextTurn();
    assert.equal(batches.length, 1, 'one commit at a time');
    assert.equal(first.outcome, 'pending');
    batchAt(batches, 0).commit();
    await nextTurn();
    assert.equal(first.outcome, 'created');
    assert.deepEqual(batchAt(batches, 1).ids, [2n, 3n, 4n]);
    assert.deepEqual(
      later.map(({ outcome }) => outcome),
      ['pending', 'pending', 'pending'],
    );
    batchAt(batches, 1).commit();
    await nextTurn();
    assert.deepEqual(
      later.map(({ outcome }) => outcome),
      ['created', 'created', 'created'],
    );
  });

  it('starts the next commit before it delivers the answers of the last', async () => {
    const { queue, batches } = openQueue();
    let batchesAtAnswer = 0;
    const first = queue.submit(makeWrite(1)).then(() => (batchesAtAnswer = batches.length));
    await nextTurn();
    const second = queue.submit(makeWrite(2));
    batchAt(batches, 0).commit();
    await first;
    assert.equal(batchesAtAnswer, 2);
    batchAt(batches, 1).commit();
    await second;
  });

  it('refuses one write without touching its neighbours', async () => {
    const { queue, batches } = openQueue();
    const watched = [1, 2, 3].map((id) => watch(queue.submit(makeWrite(id))));
    await nextTurn();
    batchAt(batches, 0).commit(['created', { refused: 'plant_id_taken' }, 'replayed']);
    await nextTurn();
    assert.deepEqual(
      watched.map(({ outcome }) => outcome),
      ['created', 'plant_id_taken', 'replayed'],
    );
  });

  it('starts at the 16th write of a turn, and lets the rest of the turn gather behind it', async () => {
    const { queue, batches } = openQueue();
    const outcomes = range(1, 15).map((id) => queue.submit(makeWrite(Number(id))));
    assert.equal(batches.length, 0);
    outcomes.push(...range(16, 40).map((id) => queue.submit(makeWrite(Number(id)))));
    assert.deepEqual(batchAt(batches, 0).ids, range(1, 16));
    await nextTurn();
    assert.equal(batches.length, 1, 'one commit at a time');
    batchAt(batches, 0).commit();
    await nextTurn();
    assert.deepEqual(batchAt(batches, 1).ids, range(17, 40));
    batchAt(batches, 1).commit();
    await Promise.all(outcomes);
  });

  it('cuts batches at 512 writes and keeps their order', async () => {
    const { queue, batches } = openQueue();
    const outcomes = range(1, 1046).map((id) => queue.submit(makeWrite(Number(id))));
    for (const [index, ids] of [range(1, 16), range(17, 528), range(529, 1040), range(1041, 1046)].entries()) {
      await nextTurn();
      assert.deepEqual(batchAt(batches, index).ids, ids);
      batchAt(batches, index).commit();
    }
    await Promise.all(outcomes);
  });

  it('rejects a whole batch with the code of its commit, and goes on with the next', async () => {
    const { queue, batches } = openQueue();
    const full = [1, 2].map((id) => watch(queue.submit(makeWrite(id))));
    await nextTurn();
    const failed = watch(queue.submit(makeWrite(3)));
    batchAt(batches, 0).fail(new ServiceError('store_full'));
    await nextTurn();
    assert.deepEqual(
      full.map(({ outcome }) => outcome),
      ['store_full', 'store_full'],
    );
    const last = queue.submit(makeWrite(4));
    batchAt(batches, 1).fail(new Error('the disk is gone'));
    await nextTurn();
    assert.equal(failed.outcome, 'store_failed');
    batchAt(batches, 2).commit();
    assert.equal(await last, 'created');
  });

  it('keeps the cause of a failed commit for the log', async () => {
    const { queue, batches } = openQueue();
    const cause = new Error('the disk is gone');
    const created = queue.submit(makeWrite(1));
    await nextTurn();
    batchAt(batches, 0).fail(cause);
    await assert.rejects(created, (error: Error) => error.cause === cause);
  });

  it('acknowledges no write for which the commit brought no outcome', async () => {
    const { queue, batches } = openQueue();
    const watched = [1, 2].map((id) => watch(queue.submit(makeWrite(id))));
    await nextTurn();
    batchAt(batches, 0).commit(['created']);
    await nextTurn();
    assert.deepEqual(
      watched.map(({ outcome }) => outcome),
      ['created', 'store_failed'],
    );
  });
});

describe('the bounds of the queue', () => {
  it('refuse the write past the count, those being committed included, until there is room', async () => {
    const { queue, batches } = openQueue({ writesMax: 3 });
    const accepted = [queue.submit(makeWrite(1))];
    await nextTurn();
    accepted.push(queue.submit(makeWrite(2)));
    assert.equal(queue.isFull(), false);
    accepted.push(queue.submit(makeWrite(3)));
    assert.equal(queue.isFull(), true);
    await assert.rejects(queue.submit(makeWrite(4)), { code: 'store_busy' });
    batchAt(batches, 0).commit();
    await nextTurn();
    assert.equal(queue.isFull(), false);
    accepted.push(queue.submit(makeWrite(5)));
    batchAt(batches, 1).commit();
    await nextTurn();
    batchAt(batches, 2).commit();
    assert.deepEqual(await Promise.all(accepted), ['created', 'created', 'created', 'created']);
    assert.deepEqual(
      batches.flatMap(({ ids }) => ids),
      [1n, 2n, 3n, 5n],
    );
  });

  it('refuse the write past the bytes, and give the bytes of a failed batch back', async () => {
    const large = makeWrite(1, 'x'.repeat(500));
    const { queue, batches } = openQueue({ bytesMax: 2 * bytesOf(large) });
    const watched = [watch(queue.submit(large))];
    assert.equal(queue.isFull(), false);
    watched.push(watch(queue.submit(makeWrite(2, 'x'.repeat(500)))));
    assert.equal(queue.isFull(), true);
    await assert.rejects(queue.submit(makeWrite(3)), { code: 'store_busy' });
    await nextTurn();
    batchAt(batches, 0).fail(new ServiceError('store_full'));
    await nextTurn();
    assert.deepEqual(
      watched.map(({ outcome }) => outcome),
      ['store_full', 'store_full'],
    );
    assert.equal(queue.isFull(), false);
  });

  it('count what a write holds: more for a longer name or tag', () => {
    assert.equal(bytesOf(makeWrite(1, 'x'.repeat(1000))) - bytesOf(makeWrite(1, '')), 2000);
    const plant = { id: 1n, name: '', tag: 'x'.repeat(10) };
    assert.equal(bytesOf({ kind: 'create', plant }) - bytesOf(makeWrite(1, '')), 20);
  });
});

describe('close()', () => {
  it('drains what was accepted, refuses what comes later, and waits for the last answer', async () => {
    const { queue, batches } = openQueue();
    const accepted = [watch(queue.submit(makeWrite(1)))];
    await nextTurn();
    accepted.push(watch(queue.submit(makeWrite(2))));
    const closed = watch(queue.close());
    const again = watch(queue.close());
    await assert.rejects(queue.submit(makeWrite(3)), { code: 'shutting_down' });
    batchAt(batches, 0).commit();
    await nextTurn();
    assert.equal(closed.outcome, 'pending');
    batchAt(batches, 1).commit();
    await nextTurn();
    assert.deepEqual(
      accepted.map(({ outcome }) => outcome),
      ['created', 'created'],
    );
    assert.deepEqual([closed.outcome, again.outcome], [undefined, undefined]);
    await assert.rejects(queue.submit(makeWrite(4)), { code: 'shutting_down' });
    assert.equal(batches.length, 2);
  });

  it('waits for writes that arrived in the same turn', async () => {
    const { queue, batches } = openQueue();
    const created = watch(queue.submit(makeWrite(1)));
    const closed = watch(queue.close());
    await nextTurn();
    assert.equal(closed.outcome, 'pending');
    batchAt(batches, 0).commit();
    await nextTurn();
    assert.deepEqual([created.outcome, closed.outcome], ['created', undefined]);
  });

  it('resolves at once when nothing waits', async () => {
    await openQueue().queue.close();
  });

  it('resolves when the last commit fails', async () => {
    const { queue, batches } = openQueue();
    const created = watch(queue.submit(makeWrite(1)));
    await nextTurn();
    const closed = queue.close();
    batchAt(batches, 0).fail(new ServiceError('store_failed'));
    await closed;
    await nextTurn();
    assert.equal(created.outcome, 'store_failed');
  });
});
