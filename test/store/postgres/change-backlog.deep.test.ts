/** A log that is far behind, as after a copy: nobody is told that it is complete before it is, and those who read on get on. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { ChangeFeed } from '../../../src/store/postgres/log/change-feed.ts';
import { createMigratedDatabase, transactionsOn } from './open-temporary-database.ts';
import { findServer } from './servers.ts';

/** Two of them are more than one transaction moves. */
const batchRows = 1_001;
/** More than one call moves. */
const batches = 24;
const changes = BigInt(batches * batchRows);

interface Backlog {
  readonly feed: ChangeFeed;
  /** What happens before each transaction that moves changes. */
  meanwhile: () => Promise<void>;
  /** Commits that many more batches, each with the same plants. */
  readonly add: (count: number) => Promise<void>;
}

async function makeBacklog(t: TestContext, count = batches): Promise<Backlog> {
  const database = await createMigratedDatabase(await findServer(18));
  t.after(() => database.remove());
  const connection = await database.connect();
  t.after(() => connection.close());
  const add = async (count: number): Promise<void> => {
    await connection.run(
      `INSERT INTO change_batches (at, ids, names, tags, tokens)
        SELECT 0, array_agg(id ORDER BY id), array_agg('fern'::text), array_agg(NULL::text), array_agg(NULL::text)
        FROM generate_series(1, $1) AS batch, generate_series(1, ${batchRows}) AS id GROUP BY batch`,
      [count],
      60_000,
    );
  };
  await add(count);
  const transactions = transactionsOn(connection, () => backlog.meanwhile());
  const feed = new ChangeFeed((work) => work(connection), transactions);
  const backlog: Backlog = { feed, add, meanwhile: () => Promise.resolve() };
  return backlog;
}

const isBusy = { name: 'ServiceError', code: 'store_busy' };
const numberOf = (position: string): bigint => BigInt(position.split('-')[1] ?? '');

it('the newest position is refused until the log has all changes, and each call brings it nearer', async (t) => {
  const { feed } = await makeBacklog(t);
  await assert.rejects(feed.latest(), isBusy);
  assert.equal(numberOf(await feed.latest()), changes);
});

it('a history and the newest changes are refused until the log has all changes; older ones are not', async (t) => {
  const { feed, add } = await makeBacklog(t);
  await assert.rejects(feed.history(7n, 1_000), isBusy);
  const found = await feed.history(7n, 1_000);
  assert.equal(found.length, batches);
  await add(batches);
  await assert.rejects(feed.read({ order: 'desc', limit: 1 }), isBusy);
  const [newest] = (await feed.read({ order: 'desc', limit: 1 })).changes;
  assert.equal(numberOf(newest?.position ?? ''), 2n * changes);
  await add(batches);
  const before = found[0]?.position ?? '';
  assert.equal((await feed.history(7n, 1_000, before)).length, batches - 1);
  await add(batches);
  assert.equal((await feed.read({ order: 'desc', after: before, limit: 10 })).changes.length, 10);
});

it('a reader that goes on from its position is never refused, nor told that there is no more', async (t) => {
  const { feed, add } = await makeBacklog(t);
  let after: string | undefined;
  let expected = 1n;
  let left = 3;
  for (let hasMore = true; hasMore;) {
    const page = await feed.read({ after, limit: 5_000 });
    for (const { position } of page.changes) assert.equal(numberOf(position), expected++);
    ({ hasMore, next: after } = page);
    if (left-- > 0) await add(batches);
  }
  assert.equal(expected - 1n, 4n * changes);
});

it('changes that are committed later, faster than they are moved, do not keep the newest position back', async (t) => {
  const backlog = await makeBacklog(t, 10);
  backlog.meanwhile = () => backlog.add(2);
  assert.ok(numberOf(await backlog.feed.latest()) >= 10 * batchRows);
});

it('a step of the trim says that there is more to do until the log has all changes', async (t) => {
  const { feed } = await makeBacklog(t);
  const limits = { recordsMax: 1_000_000, ageMsMax: 1e15, elapsedMs: 0 };
  assert.deepEqual([await feed.trim(limits), await feed.trim(limits)], [true, false]);
});
