/** WriteQueue alone, with a commit that the test completes: no database, thread or clock. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../src/domain/errors.ts';
import { type Pacing, type QueueLimits, WriteQueue } from '../../src/store/write-queue.ts';
import type { CommitSummary } from '../../src/store/store-observer.ts';
import { bytesOf, type CommitWrites, keysOf, type Write } from '../../src/store/write.ts';
import { recordWarnings } from '../support/record-warnings.ts';
import { stopClock } from '../support/stop-clock.ts';
import { until } from '../support/until.ts';

/** Maximum bytes of a commit of several writes, as in write-queue.ts. */
const commitBytesMax = 1_048_576;

type CreateWrite = Extract<Write, { kind: 'create' }>;

interface OpenCommit {
  /** The ids of its writes, in order. */
  readonly ids: bigint[];
  readonly writes: readonly Write[];
  readonly complete: (outcomes?: Awaited<ReturnType<CommitWrites>>) => void;
  readonly fail: (error: Error) => void;
}

/** Opens a queue whose commits wait until the test completes them. */
function openQueue(
  limits: Partial<QueueLimits> = {},
  pacing: Pacing = { commitsMax: 1 },
): { queue: WriteQueue; commits: OpenCommit[] } {
  const commits: OpenCommit[] = [];
  const commit: CommitWrites = (writes) =>
    new Promise((resolve, reject) => {
      commits.push({
        writes,
        ids: writes.flatMap((write) => keysOf(write) as bigint[]),
        complete: (outcomes = writes.map(() => 'created')) => resolve(outcomes),
        fail: reject,
      });
    });
  return { queue: new WriteQueue(commit, { writesMax: 10_000, bytesMax: 1e9, ...limits }, pacing), commits };
}

function makeWrite(id: number, name = 'fern'): CreateWrite {
  return { kind: 'create', plant: { id: BigInt(id), name } };
}

function commitAt(commits: readonly OpenCommit[], index: number): OpenCommit {
  const found = commits[index];
  assert.ok(found, `commit ${index} runs`);
  return found;
}

/** Records the outcome of a promise, so that "not yet" can be asserted. */
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
  it('commits the writes of one event loop turn together and in order', async () => {
    const { queue, commits } = openQueue();
    const outcomes = [1, 2, 3].map((id) => queue.submit(makeWrite(id)));
    await nextTurn();
    assert.deepEqual(commitAt(commits, 0).ids, [1n, 2n, 3n]);
    commitAt(commits, 0).complete(['created', 'replayed', 'created']);
    assert.deepEqual(await Promise.all(outcomes), ['created', 'replayed', 'created']);
    assert.equal(commits.length, 1);
  });

  it('collects writes for the next commit during a commit, and resolves no write before its own commit', async () => {
    const { queue, commits } = openQueue();
    const first = watch(queue.submit(makeWrite(1)));
    await nextTurn();
    const later = [2, 3].map((id) => watch(queue.submit(makeWrite(id))));
    await nextTurn();
    later.push(watch(queue.submit(makeWrite(4))));
    await nextTurn();
    assert.equal(commits.length, 1, 'one commit at a time');
    assert.equal(first.outcome, 'pending');
    commitAt(commits, 0).complete();
    await nextTurn();
    assert.equal(first.outcome, 'created');
    assert.deepEqual(commitAt(commits, 1).ids, [2n, 3n, 4n]);
    assert.deepEqual(
      later.map(({ outcome }) => outcome),
      ['pending', 'pending', 'pending'],
    );
    commitAt(commits, 1).complete();
    await nextTurn();
    assert.deepEqual(
      later.map(({ outcome }) => outcome),
      ['created', 'created', 'created'],
    );
  });

  it('starts the next commit before it sends the outcomes of the previous one', async () => {
    const { queue, commits } = openQueue();
    let commitsAtAnswer = 0;
    const first = queue.submit(makeWrite(1)).then(() => (commitsAtAnswer = commits.length));
    await nextTurn();
    const second = queue.submit(makeWrite(2));
    commitAt(commits, 0).complete();
    await first;
    assert.equal(commitsAtAnswer, 2);
    commitAt(commits, 1).complete();
    await second;
  });

  it('commits at the 16th write of a turn, and collects the rest', async () => {
    const { queue, commits } = openQueue();
    const outcomes = range(1, 15).map((id) => queue.submit(makeWrite(Number(id))));
    assert.equal(commits.length, 0);
    outcomes.push(...range(16, 40).map((id) => queue.submit(makeWrite(Number(id)))));
    assert.deepEqual(commitAt(commits, 0).ids, range(1, 16));
    await nextTurn();
    assert.equal(commits.length, 1, 'one commit at a time');
    commitAt(commits, 0).complete();
    await nextTurn();
    assert.deepEqual(commitAt(commits, 1).ids, range(17, 40));
    commitAt(commits, 1).complete();
    await Promise.all(outcomes);
  });

  it('splits commits at 512 writes and keeps their order', async () => {
    const { queue, commits } = openQueue();
    const outcomes = range(1, 1046).map((id) => queue.submit(makeWrite(Number(id))));
    for (const [index, ids] of [range(1, 16), range(17, 528), range(529, 1040), range(1041, 1046)].entries()) {
      await nextTurn();
      assert.deepEqual(commitAt(commits, index).ids, ids);
      commitAt(commits, index).complete();
    }
    await Promise.all(outcomes);
  });

  it('keeps the cause of a failed commit for the log', async () => {
    const { queue, commits } = openQueue();
    const cause = new Error('the disk is gone');
    const created = queue.submit(makeWrite(1));
    await nextTurn();
    commitAt(commits, 0).fail(cause);
    await assert.rejects(created, (error: Error) => error.cause === cause);
    const refused = queue.submit(makeWrite(2));
    await nextTurn();
    commitAt(commits, 1).fail(new ServiceError('store_full', { cause }));
    await assert.rejects(refused, (error: Error) => error.cause === cause, 'of a code that is known, the reason');
  });

  it('confirms no write for which the commit returned no outcome', async () => {
    const { queue, commits } = openQueue();
    const watched = [1, 2].map((id) => watch(queue.submit(makeWrite(id))));
    await nextTurn();
    commitAt(commits, 0).complete(['created']);
    await nextTurn();
    assert.deepEqual(
      watched.map(({ outcome }) => outcome),
      ['created', 'store_failed'],
    );
  });
});

describe('bulk writes', () => {
  /** A bulk write of one author. Its ids are its first one and those after it. */
  function makeBulk(by: string, id: number, rows: number): Write {
    const plants = range(id, id + rows - 1).map((each) => ({ id: each, name: 'fern' }));
    return { kind: 'import', rows: plants, rules: { onConflict: 'fail', dryRun: false }, by };
  }

  /** What each commit has: the first id of each write. */
  const firsts = (commits: readonly OpenCommit[], firstIds: readonly number[]): number[][] =>
    commits.map(({ ids }) => ids.map(Number).filter((id) => firstIds.includes(id)));

  async function commitAll(queue: WriteQueue, commits: readonly OpenCommit[]): Promise<void> {
    const closed = watch(queue.close());
    for (let committed = 0; closed.outcome === 'pending';) {
      if (committed < commits.length) commitAt(commits, committed++).complete();
      await nextTurn();
    }
  }

  it('let the writes of single plants go first, whenever these come', async () => {
    const { queue, commits } = openQueue();
    const bulk = [10_000, 20_000, 30_000];
    for (const id of bulk) void queue.submit(makeBulk('a', id, 2_000));
    await nextTurn();
    const single = watch(queue.submit(makeWrite(1)));
    commitAt(commits, 0).complete();
    await nextTurn();
    commitAt(commits, 1).complete();
    await nextTurn();
    assert.equal(single.outcome, 'created');
    await commitAll(queue, commits);
    assert.deepEqual(firsts(commits, [1, ...bulk]), [[10_000], [1, 20_000], [30_000]]);
  });

  it('keep the order of each plant: its single write follows the bulk write that waits, and precedes the next one', async () => {
    const { queue, commits } = openQueue();
    const [one, other, single, next] = [
      makeBulk('a', 1_000, 500),
      makeBulk('a', 2_000, 500),
      makeWrite(2_000),
      makeBulk('b', 2_000, 1),
    ];
    for (const write of [one, other, single, next]) void queue.submit(write);
    await commitAll(queue, commits);
    assert.deepEqual(
      commits.flatMap(({ writes }) => writes),
      [one, other, single, next],
    );
  });

  it('take turns by author, each author in order', async () => {
    const { queue, commits } = openQueue();
    const bulk = [10_000, 20_000, 30_000, 40_000, 50_000, 60_000];
    bulk.forEach((id, at) => void queue.submit(makeBulk(at < 4 ? 'a' : 'b', id, 2_000)));
    await commitAll(queue, commits);
    assert.deepEqual(firsts(commits, bulk), [[10_000], [50_000], [20_000], [60_000], [30_000], [40_000]]);
  });

  it('take turns by author also where several commits run and one waits for an id', async () => {
    const { queue, commits } = openQueue({}, { commitsMax: 2 });
    const bulk = [10_000, 10_001, 20_000, 30_000, 40_000];
    bulk.forEach((id, at) => void queue.submit(makeBulk(at < 4 ? 'a' : 'b', id, 2_000)));
    await commitAll(queue, commits);
    assert.deepEqual(
      commits.map(({ ids }) => Number(ids[0])),
      [10_000, 40_000, 10_001, 20_000, 30_000],
    );
  });

  it('are in every commit, however many single writes wait', async () => {
    const { queue, commits } = openQueue();
    const bulk = [50_000, 60_000];
    for (const id of range(1, 1_600)) void queue.submit(makeWrite(Number(id)));
    for (const id of bulk) void queue.submit(makeBulk('a', id, 2_000));
    await commitAll(queue, commits);
    assert.deepEqual(firsts(commits, bulk), [[], [50_000], [60_000], [], []]);
  });

  it('share a commit up to 1,000 rows', async () => {
    const { queue, commits } = openQueue();
    const bulk = [1_000, 2_000, 3_000, 4_000];
    for (const id of bulk) void queue.submit(makeBulk('a', id, id === 4_000 ? 1 : 500));
    await commitAll(queue, commits);
    assert.deepEqual(firsts(commits, bulk), [
      [1_000, 2_000],
      [3_000, 4_000],
    ]);
  });

  it('share a commit up to its bytes', async () => {
    const { queue, commits } = openQueue();
    const bulk = [1_000, 2_000, 3_000];
    for (const id of bulk) {
      const bytes = bytesOf(makeBulk('a', id, 1)) - bytesOf(makeWrite(1)) + bytesOf(makeWrite(1, ''));
      const rows = [{ id: BigInt(id), name: 'x'.repeat((commitBytesMax / 2 - bytes) / 2) }];
      void queue.submit({ ...(makeBulk('a', id, 1) as Extract<Write, { kind: 'import' }>), rows });
    }
    await commitAll(queue, commits);
    assert.deepEqual(firsts(commits, bulk), [[1_000, 2_000], [3_000]]);
  });

  it('should be smaller the more recently a single plant was written', (t) => {
    const pass = stopClock(t);
    const { queue } = openQueue();
    void queue.submit(makeBulk('a', 1_000, 500));
    assert.equal(queue.bulkRows, 1_000);
    void queue.submit(makeWrite(1));
    const rows = [128, 2, 1_868, 2, 2].map((ms) => {
      pass(ms);
      return queue.bulkRows;
    });
    assert.deepEqual(rows, [64, 65, 999, 1_000, 1_000]);
  });
});

describe('the bounds of the queue', () => {
  it('refuse the write past the bytes, and release the bytes of a failed commit', async () => {
    const large = makeWrite(1, 'x'.repeat(500));
    const { queue, commits } = openQueue({ bytesMax: 2 * bytesOf(large) });
    const watched = [watch(queue.submit(large))];
    assert.equal(queue.isFull(), false);
    watched.push(watch(queue.submit(makeWrite(2, 'x'.repeat(500)))));
    assert.equal(queue.isFull(), true);
    await assert.rejects(queue.submit(makeWrite(3)), { code: 'store_busy' });
    await nextTurn();
    commitAt(commits, 0).fail(new ServiceError('store_full'));
    await nextTurn();
    assert.deepEqual(
      watched.map(({ outcome }) => outcome),
      ['store_full', 'store_full'],
    );
    assert.equal(queue.isFull(), false);
  });

  it('divide what waits into commits by bytes, too; a larger write is a commit of its own', async () => {
    const { queue, commits } = openQueue();
    const writeOf = (id: number, bytes: number): CreateWrite =>
      makeWrite(id, 'x'.repeat((bytes - bytesOf(makeWrite(id, ''))) / 2));
    const outcomes = [
      writeOf(1, commitBytesMax + 2),
      writeOf(2, commitBytesMax / 2),
      writeOf(3, commitBytesMax / 2),
      makeWrite(4),
    ].map((write) => queue.submit(write));
    for (const [index, ids] of [[1n], [2n, 3n], [4n]].entries()) {
      await nextTurn();
      assert.deepEqual(commitAt(commits, index).ids, ids);
      commitAt(commits, index).complete();
    }
    await Promise.all(outcomes);
  });

  it('count the memory of a write: more for a longer name or tag', () => {
    assert.equal(bytesOf(makeWrite(1, 'x'.repeat(1000))) - bytesOf(makeWrite(1, '')), 2000);
    const plant = { id: 1n, name: '', tag: 'x'.repeat(10) };
    assert.equal(bytesOf({ kind: 'create', plant }) - bytesOf(makeWrite(1, '')), 20);
  });
});

describe('close()', () => {
  it('refuses what waits too long for a slow disk, and then waits for what is being committed', async (t) => {
    const pass = stopClock(t, { apis: ['setTimeout'] });
    const { queue, commits } = openQueue();
    const begun = watch(queue.submit(makeWrite(1)));
    await nextTurn();
    const waiting = watch(queue.submit(makeWrite(2)));
    const closed = watch(queue.close());
    pass(1_900);
    await nextTurn();
    assert.equal(waiting.outcome, 'pending');
    pass(200);
    await nextTurn();
    assert.deepEqual([begun.outcome, waiting.outcome, closed.outcome], ['pending', 'shutting_down', 'pending']);
    commitAt(commits, 0).complete();
    await nextTurn();
    assert.deepEqual([begun.outcome, closed.outcome], ['created', undefined]);
    assert.equal(commits.length, 1);
  });

  it('refuses what waits also when a busy thread was too late to commit it', async (t) => {
    const pass = stopClock(t, { apis: ['setTimeout'] });
    const { queue, commits } = openQueue();
    const waiting = watch(queue.submit(makeWrite(1)));
    const closed = watch(queue.close());
    pass(2_100);
    await nextTurn();
    assert.deepEqual([waiting.outcome, closed.outcome, commits.length], ['shutting_down', undefined, 0]);
  });

  it('leaves no timer that would keep the process alive', async () => {
    const timers = (): string[] => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout');
    const before = timers();
    const { queue, commits } = openQueue();
    void queue.submit(makeWrite(1));
    const closed = queue.close();
    await nextTurn();
    commitAt(commits, 0).complete();
    await closed;
    assert.deepEqual(timers(), before);
  });
});

describe('several commits under way', () => {
  const ids = (commits: readonly OpenCommit[]): bigint[][] => commits.map((each) => each.ids);

  it('leave with 32 writes, or once the oldest has waited, up to their number', async (t) => {
    const wait = stopClock(t, { apis: ['setTimeout'] });
    const { queue, commits } = openQueue({}, { commitsMax: 3 });
    const submit = (from: number, to: number): void => {
      for (const id of range(from, to)) void queue.submit(makeWrite(Number(id)));
    };
    submit(1, 16);
    assert.deepEqual(ids(commits), [range(1, 16)]);
    submit(17, 47);
    assert.equal(commits.length, 1, '31 wait for company');
    submit(48, 48);
    assert.deepEqual(ids(commits)[1], range(17, 48));
    submit(49, 49);
    assert.equal(commits.length, 2);
    wait(20);
    assert.deepEqual(ids(commits)[2], [49n]);
    submit(50, 200);
    wait(20);
    assert.equal(commits.length, 3, 'no more at once');
    commitAt(commits, 1).complete();
    await nextTurn();
    assert.deepEqual(ids(commits)[3], range(50, 200));
    for (const each of commits) each.complete();
    await queue.close();
  });

  it('leave 3 ms after their oldest write, whatever waited before it', async (t) => {
    const wait = stopClock(t, { apis: ['setTimeout'] });
    const { queue, commits } = openQueue({}, { commitsMax: 3 });
    for (const id of range(1, 17)) void queue.submit(makeWrite(Number(id)));
    wait(2);
    commitAt(commits, 0).complete();
    await nextTurn();
    assert.deepEqual(ids(commits), [range(1, 16), [17n]]);
    void queue.submit(makeWrite(18));
    wait(1);
    wait(1);
    assert.equal(commits.length, 2);
    wait(1);
    assert.deepEqual(ids(commits)[2], [18n]);
    for (const each of commits) each.complete();
    await queue.close();
  });

  it('are looked at again at once if their time ends meanwhile', async (t) => {
    stopClock(t, { readMs: 2 });
    const warnings = recordWarnings(t);
    const { queue, commits } = openQueue({}, { commitsMax: 3 });
    for (const id of range(1, 17)) void queue.submit(makeWrite(Number(id)));
    await nextTurn();
    assert.deepEqual(warnings, [], 'a negative delay');
    await until(() => commits.length === 2, 'the second commit begins');
  });

  it('never hold two writes of one id: the second waits for the first, others pass', async (t) => {
    const wait = stopClock(t, { apis: ['setTimeout'] });
    const { queue, commits } = openQueue({}, { commitsMax: 4 });
    const first = watch(queue.submit(makeWrite(1)));
    await nextTurn();
    const second = watch(queue.submit(makeWrite(1, 'second')));
    const third = watch(queue.submit(makeWrite(1, 'third')));
    const other = watch(queue.submit(makeWrite(2)));
    wait(20);
    assert.deepEqual(ids(commits), [[1n], [2n]]);
    commitAt(commits, 1).complete();
    await nextTurn();
    commitAt(commits, 0).complete();
    await nextTurn();
    assert.deepEqual(ids(commits), [[1n], [2n], [1n, 1n]]);
    commitAt(commits, 2).complete();
    await nextTurn();
    assert.deepEqual(
      [first, second, third, other].map(({ outcome }) => outcome),
      ['created', 'created', 'created', 'created'],
    );
  });

  it('never hold two writes of one id that waited together and are too large for one commit', async (t) => {
    const wait = stopClock(t, { apis: ['setTimeout'] });
    const { queue, commits } = openQueue({}, { commitsMax: 2 });
    for (const name of ['first', 'second']) void queue.submit(makeWrite(1, name.repeat(commitBytesMax)));
    await nextTurn();
    wait(20);
    assert.equal(commits.length, 1);
    commitAt(commits, 0).complete();
    await nextTurn();
    assert.equal(commits.length, 2);
    commitAt(commits, 1).complete();
    await queue.close();
  });

  it('keep the order of each id, whatever the ids and whichever commit ends first', async () => {
    for (let seed = 1; seed <= 20; seed += 1) await raceRandomly(seed);
  });

  it('are reported, each before its writes are settled', async (t) => {
    const wait = stopClock(t, { apis: ['setTimeout'] });
    const summaries: CommitSummary[] = [];
    const { queue, commits } = openQueue({}, { commitsMax: 1, onCommit: (summary) => summaries.push(summary) });
    const outcomes = [makeWrite(1), makeWrite(2)].map((write) =>
      queue.submit(write).then(
        () => summaries.length,
        () => summaries.length,
      ),
    );
    await nextTurn();
    wait(20);
    commitAt(commits, 0).complete();
    assert.deepEqual(await Promise.all(outcomes), [1, 1]);
    assert.deepEqual(summaries, [{ writes: 2, bytes: 2 * bytesOf(makeWrite(1)), waitedMs: 0, committedMs: 20 }]);
    const failed = queue.submit(makeWrite(3));
    await nextTurn();
    commitAt(commits, 1).fail(new ServiceError('store_full'));
    await assert.rejects(failed, { code: 'store_full' });
    assert.equal(summaries[1]?.failure?.code, 'store_full');
  });
});

/** Writes of few ids, alone and in imports, through four commits that end in any order. */
async function raceRandomly(seed: number): Promise<void> {
  let state = seed;
  const random = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const submitted = new Map<bigint, number[]>();
  const committed = new Map<bigint, number[]>();
  const note = (map: Map<bigint, number[]>, id: bigint, number: number): void =>
    void map.set(id, [...(map.get(id) ?? []), number]);
  const underWay = new Set<bigint>();
  const queue = new WriteQueue(
    async (writes) => {
      const rows = writes.flatMap((write) => (write.kind === 'import' ? write.rows : []));
      const own = new Set(rows.map(({ id }) => id));
      for (const id of own) assert.ok(!underWay.has(id), `${id} is under way twice, seed ${seed}`);
      for (const id of own) underWay.add(id);
      await sleep(random(3));
      for (const { id, name } of rows) note(committed, id, Number(name));
      for (const id of own) underWay.delete(id);
      return writes.map(() => []);
    },
    { writesMax: 10_000, bytesMax: 1e9 },
    { commitsMax: 4 },
  );
  const writes: Promise<unknown>[] = [];
  for (let number = 0; number < 300; number += 1) {
    const rows = Array.from({ length: 1 + random(3) }, () => ({ id: BigInt(random(12)), name: String(number) }));
    for (const { id } of rows) note(submitted, id, number);
    writes.push(queue.submit({ kind: 'import', rows, rules: { onConflict: 'fail', dryRun: false } }));
    if (random(4) === 0) await nextTurn();
  }
  // Closing waits for 2 seconds, which a busy machine can exceed.
  await Promise.all(writes);
  await queue.close();
  assert.deepEqual(committed, submitted, `seed ${seed}`);
}
