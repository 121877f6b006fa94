/** A log that is far behind, as after a copy: nobody is told that it is complete before it is, and those who read on get on. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { PostgresChangeLog } from '../../../src/store/postgres/log/postgres-change-log.ts';
import { createMigratedDatabase, transactionsOn } from './open-temporary-database.ts';
import { findServer } from './servers.ts';

/** Two changesets have more than one transaction moves. */
const changesetRows = 1_001;
/** More than one call moves. */
const changesets = 24;
const changes = BigInt(changesets * changesetRows);

interface Backlog {
  readonly log: PostgresChangeLog;
  /** What happens before each transaction that moves changes. */
  meanwhile: () => Promise<void>;
  /** Commits that many more changesets, each with the same plants. */
  readonly add: (count: number) => Promise<void>;
}

async function makeBacklog(t: TestContext, count = changesets): Promise<Backlog> {
  const database = await createMigratedDatabase(await findServer(18));
  t.after(() => database.remove());
  const connection = await database.connect();
  t.after(() => connection.close());
  const add = async (count: number): Promise<void> => {
    await connection.run(
      `INSERT INTO change_batches (at, ids, names, tags, tokens)
        SELECT 0, array_agg(id ORDER BY id), array_agg('fern'::text), array_agg(NULL::text), array_agg(NULL::text)
        FROM generate_series(1, $1) AS changeset, generate_series(1, ${changesetRows}) AS id GROUP BY changeset`,
      [count],
      60_000,
    );
  };
  await add(count);
  const transactions = transactionsOn(connection, () => backlog.meanwhile());
  const log = new PostgresChangeLog((work) => work(connection), transactions);
  const backlog: Backlog = { log, add, meanwhile: () => Promise.resolve() };
  return backlog;
}

const isBusy = { name: 'ServiceError', code: 'store_busy' };
const numberOf = (position: string): bigint => BigInt(position.split('-')[1] ?? '');

it('the newest position is refused until the log has all changes, and each call brings it nearer', async (t) => {
  const { log } = await makeBacklog(t);
  await assert.rejects(log.latest(), isBusy);
  assert.equal(numberOf(await log.latest()), changes);
});

it('a history and the newest changes are refused until the log has all changes; older ones are not', async (t) => {
  const { log, add } = await makeBacklog(t);
  await assert.rejects(log.history(7n, 1_000), isBusy);
  const found = await log.history(7n, 1_000);
  assert.equal(found.length, changesets);
  await add(changesets);
  await assert.rejects(log.read({ order: 'desc', limit: 1 }), isBusy);
  const [newest] = (await log.read({ order: 'desc', limit: 1 })).changes;
  assert.equal(numberOf(newest?.position ?? ''), 2n * changes);
  await add(changesets);
  const before = found[0]?.position ?? '';
  assert.equal((await log.history(7n, 1_000, before)).length, changesets - 1);
  await add(changesets);
  assert.equal((await log.read({ order: 'desc', after: before, limit: 10 })).changes.length, 10);
});

it('a reader that goes on from its position is never refused, nor told that there is no more', async (t) => {
  const { log, add } = await makeBacklog(t);
  let after: string | undefined;
  let expected = 1n;
  let left = 3;
  for (let hasMore = true; hasMore;) {
    const page = await log.read({ after, limit: 5_000 });
    for (const { position } of page.changes) assert.equal(numberOf(position), expected++);
    ({ hasMore, next: after } = page);
    if (left-- > 0) await add(changesets);
  }
  assert.equal(expected - 1n, 4n * changes);
});

it('changes that are committed later, faster than they are moved, do not keep the newest position back', async (t) => {
  const backlog = await makeBacklog(t, 10);
  backlog.meanwhile = () => backlog.add(2);
  assert.ok(numberOf(await backlog.log.latest()) >= 10 * changesetRows);
});

it('a step of the trim says that there is more to do until the log has all changes', async (t) => {
  const { log } = await makeBacklog(t);
  const limits = { recordsMax: 1_000_000, ageMsMax: 1e15, elapsedMs: 0 };
  assert.deepEqual([await log.trim(limits), await log.trim(limits)], [true, false]);
});
