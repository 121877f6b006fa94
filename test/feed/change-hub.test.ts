/** Followers of the change log: how many, how they are woken, and what they read together. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { ChangeFilter, ChangeQuery } from '../../src/domain/change-log.ts';
import { ServiceError } from '../../src/domain/errors.ts';
import type { Store } from '../../src/domain/store.ts';
import { ChangeHub } from '../../src/feed/change-hub.ts';
import { readAll } from '../store/behaviour-changes.ts';
import { openTemporaryStore } from '../store/open-temporary-store.ts';
import { until } from '../support/until.ts';

const opened = await openTemporaryStore();
after(() => opened.close());

/** The change log, with the pages that were read. */
function spy({ changes }: Store): { changes: Store['changes']; pages: ChangeQuery[] } {
  const pages: ChangeQuery[] = [];
  const read: Store['changes']['read'] = async (page) => {
    const batch = await changes.read(page);
    pages.push(page);
    return batch;
  };
  return { changes: { ...changes, read }, pages };
}

/** Resolves once so many pages were read. */
async function untilRead(pages: readonly ChangeQuery[], count: number): Promise<void> {
  while (pages.length < count) await setImmediate();
}

const never = new AbortController().signal;
const client = {
  authorization: 'Bearer one',
  limitKey: 'one',
  isAllowed: () => Promise.resolve(true),
  onGone: () => undefined,
  onHalfClosed: () => undefined,
};
/** A follower that nobody wakes never ends within its test. */
const options = { filter: {}, limit: 100, patienceMs: 86_400_000, ...client };

const wanted: readonly (readonly [title: string, filters: readonly ChangeFilter[]])[] = [
  ['they want different changes', [{}, { tag: 't1' }]],
  ['all want the same changes', [{ tag: 't2' }]],
];

describe('ChangeHub reads the log once', () => {
  it('reads once for all followers at the end of the log', async () => {
    const { store } = opened;
    const { changes, pages } = spy(store);
    const end = new AbortController();
    const hub = new ChangeHub(changes, end.signal);
    const start = await store.changes.latest();
    const followers = Array.from({ length: 50 }, (_, index) =>
      hub.follow(start, { ...options, filter: index === 0 ? { kinds: ['deleted'] as const } : {} }),
    );
    const found = followers.map((follower) => follower.next());
    // Each has read alone, and what was committed during these reads was looked for once.
    await untilRead(pages, 51);
    await store.plants.create({ id: 1n, name: 'a' });
    await Promise.all(found.slice(1));
    assert.equal(pages.length, 52);
    await store.plants.delete(1n, {});
    const { value } = (await found[0]) ?? {};
    assert.deepEqual(
      value?.changes.map(({ kind }) => kind),
      ['deleted'],
    );
    assert.equal(pages.length, 53);
    end.abort();
    for (const follower of followers) assert.equal((await follower.next()).done, true);
  });

  it('serves a follower that came later from what was read for all', async () => {
    const { store } = opened;
    const { changes, pages } = spy(store);
    const hub = new ChangeHub(changes, never);
    const start = await store.changes.latest();
    const follow = (): ReturnType<ChangeHub['follow']> => hub.follow(start, { ...options, filter: { tag: 'rare' } });
    const early = follow();
    const found = [early.next()];
    await untilRead(pages, 2);
    await store.plants.create({ id: 4n, name: 'a', tag: 'other' });
    await untilRead(pages, 3);
    await setImmediate();
    const late = follow();
    found.push(late.next());
    await store.plants.create({ id: 6n, name: 'a', tag: 'rare' });
    for (const { value } of await Promise.all(found))
      assert.deepEqual(
        value?.changes.map(({ id }) => id),
        [6n],
      );
    assert.equal(pages.length, 4);
    for (const follower of [early, late]) await follower.return(undefined);
  });

  it('does not read in a loop for a follower that waits for a read for all', async () => {
    const { store } = opened;
    const { changes, pages } = spy(store);
    const held = Promise.withResolvers<undefined>();
    const holding: Store['changes'] = {
      ...changes,
      read: async (page) => {
        const batch = await changes.read(page);
        if (page.limit > options.limit) await held.promise;
        return batch;
      },
    };
    const hub = new ChangeHub(holding, never);
    const start = await store.changes.latest();
    const early = hub.follow(start, options);
    const found = [early.next()];
    await untilRead(pages, 2);
    await store.plants.create({ id: 8n, name: 'a' });
    const late = hub.follow(await store.changes.latest(), options);
    found.push(late.next());
    await untilRead(pages, 3);
    // Longer than the time between two reads for all, which must not overlap.
    await setTimeout(250);
    assert.equal(pages.length, 3);
    held.resolve(undefined);
    const seen = (await found[0])?.value?.changes.map(({ id }) => id) ?? [];
    await store.plants.create({ id: 9n, name: 'a' });
    while (seen.at(-1) !== 9n) seen.push(...((await early.next()).value?.changes.map(({ id }) => id) ?? []));
    assert.deepEqual(seen, [8n, 9n]);
    assert.equal((await found[1])?.value?.changes[0]?.id, 9n);
    for (const follower of [early, late]) await follower.return(undefined);
  });

  it('forgets what it has read when the last follower leaves', async () => {
    const { store } = opened;
    const { changes, pages } = spy(store);
    const hub = new ChangeHub(changes, never);
    const start = await store.changes.latest();
    const gone: (() => void)[] = [];
    const first = hub.follow(start, { ...options, onGone: (listener) => void gone.push(listener) });
    const ended = first.next();
    await untilRead(pages, 2);
    for (const listener of gone) listener();
    await ended;
    await store.plants.create({ id: 20_000n, name: 'a' });
    const second = hub.follow(start, options);
    assert.equal((await second.next()).value?.changes[0]?.id, 20_000n);
    await second.return(undefined);
  });

  it('keeps a bounded number of changes: who needs older ones reads them alone', async () => {
    const { store } = opened;
    const { changes, pages } = spy(store);
    const hub = new ChangeHub(changes, never);
    const start = await store.changes.latest();
    const early = hub.follow(start, options);
    const found = early.next();
    await untilRead(pages, 2);
    const rows = Array.from({ length: 1_010 }, (_, row) => ({ id: BigInt(30_000 + row), name: 'a' }));
    await store.plants.import(rows, { onConflict: 'fail', dryRun: false });
    await untilRead(pages, 5);
    const { next } = await store.changes.read({ after: start, limit: 1 });
    const late = hub.follow(next, options);
    assert.equal((await late.next()).value?.changes[0]?.id, 30_001n);
    assert.equal(pages.at(-1)?.after, next);
    await found;
    for (const follower of [early, late]) await follower.return(undefined);
  });

  it('serves a follower whose read took longer than one that was begun later', async () => {
    const { store } = opened;
    const held = Promise.withResolvers<undefined>();
    const { changes, pages } = spy(store);
    const read: Store['changes']['read'] = async (page) => {
      const batch = await changes.read(page);
      if (pages.length === 1) await held.promise;
      return batch;
    };
    const end = new AbortController();
    // Simulates a write of another instance: nobody notifies this one.
    const hub = new ChangeHub({ ...changes, read, subscribe: () => () => undefined }, end.signal);
    const start = await store.changes.latest();
    const slow = hub.follow(start, options);
    const found = slow.next();
    await untilRead(pages, 1);
    await store.plants.create({ id: 7n, name: 'a' });
    const other = hub.follow(await store.changes.latest(), options);
    const next = other.next();
    await untilRead(pages, 3);
    held.resolve(undefined);
    assert.deepEqual(
      (await found).value?.changes.map(({ id }) => id),
      [7n],
    );
    end.abort();
    await next;
    for (const follower of [slow, other]) await follower.return(undefined);
  });
});

describe('ChangeHub passes on what matches', () => {
  it('goes on reading a log in which nothing matches for long, and lets others work meanwhile', async () => {
    const start = await opened.store.changes.latest();
    const turns = { ofOthers: 0 };
    let reads = 0;
    const read: Store['changes']['read'] = ({ after: next = start }) => {
      reads += 1;
      return Promise.resolve({ changes: [], next, hasMore: reads < 100 });
    };
    const end = new AbortController();
    const hub = new ChangeHub({ ...opened.store.changes, read }, end.signal);
    const next = hub.follow(start, options).next();
    while (reads < 100) {
      await setImmediate();
      turns.ofOthers += 1;
    }
    assert.ok(turns.ofOthers > 50, `${turns.ofOthers} turns during 100 reads`);
    end.abort();
    assert.equal((await next).done, true);
  });

  for (const [index, [title, filters]] of wanted.entries()) {
    it(`gives each follower every change once, wherever it began and however slow it is, when ${title}`, async () => {
      const { store } = opened;
      const hub = new ChangeHub(store.changes, never);
      const total = 6_000;
      const firstId = 100_000 * (index + 1);
      const start = await store.changes.latest();
      const writing = (async () => {
        for (let first = 0; first < total; first += 30)
          await Promise.all(
            Array.from({ length: 30 }, (_, offset) =>
              store.plants.create({ id: BigInt(firstId + first + offset), name: 'a', tag: `t${offset % 3}` }),
            ),
          );
      })();
      const collect = async (delayMs: number, filter: ChangeFilter): Promise<string[]> => {
        const count = filter.tag === undefined ? total : total / 3;
        const seen: string[] = [];
        await setTimeout(delayMs);
        for await (const { changes, next } of hub.follow(start, { ...options, filter, patienceMs: 100 })) {
          seen.push(...changes.map(({ position }) => position));
          if (changes.length > 0 && changes.length < options.limit) assert.ok(next.length > 0);
          if (seen.length >= count) return seen;
          if (delayMs > 0) await setTimeout(delayMs / 10);
        }
        return seen;
      };
      const readers = [0, 5, 40, 100, 300].flatMap((delayMs) =>
        filters.map((filter) => ({ filter, seen: collect(delayMs, filter) })),
      );
      await writing;
      const all = await readAll(store, { after: start });
      for (const { filter, seen } of readers)
        assert.deepEqual(
          await seen,
          all
            .filter(({ plant }) => filter.tag === undefined || plant?.tag === filter.tag)
            .map(({ position }) => position),
          `reader of ${JSON.stringify(filter)}`,
        );
    });
  }

  it('yields an empty batch in time, although there are changes that do not match', async () => {
    const hub = new ChangeHub(opened.store.changes, never);
    const follower = hub.follow(await opened.store.changes.latest(), {
      ...options,
      filter: { kinds: ['deleted'] as const },
      patienceMs: 200,
    });
    const writer = { isDone: false };
    const writing = (async () => {
      for (let id = 10n; !writer.isDone; id++) await opened.store.plants.create({ id, name: 'a' });
    })();
    const { value } = await follower.next();
    writer.isDone = true;
    await writing;
    assert.deepEqual(value?.changes, []);
    await follower.return(undefined);
  });
});

describe('ChangeHub and its followers', () => {
  it('takes a bounded number of followers, half of them of one token', async () => {
    const shutdown = new AbortController();
    const hub = new ChangeHub(opened.store.changes, shutdown.signal);
    const start = await opened.store.changes.latest();
    const followers: ReturnType<ChangeHub['follow']>[] = [];
    const ended = ['one', 'two'].flatMap((limitKey) => {
      const own = Array.from({ length: 1_000 }, () => {
        hub.requirePlace(limitKey);
        const follower = hub.follow(start, { ...options, limitKey });
        followers.push(follower);
        return follower.next();
      });
      assert.throws(() => hub.requirePlace(limitKey), { code: 'store_busy' });
      return own;
    });
    assert.throws(() => hub.requirePlace('three'), { code: 'store_busy' });
    shutdown.abort();
    await Promise.all(ended);
    for (const follower of followers) await follower.return(undefined);
    hub.requirePlace('one');
  });

  it('ends the followers of a token that is not valid any more, and asks once for each token', async () => {
    const hub = new ChangeHub(opened.store.changes, never);
    const start = await opened.store.changes.latest();
    const asked = { one: 0, two: 0 };
    const follow = (authorization: 'one' | 'two'): ReturnType<ChangeHub['follow']> =>
      hub.follow(start, {
        ...options,
        authorization,
        isAllowed: () => Promise.resolve(++asked[authorization] > 0 && authorization === 'one'),
      });
    const allowed = follow('one');
    const revoked = [follow('two'), follow('two')];
    const next = allowed.next();
    const ended = await Promise.all(revoked.map((follower) => follower.next()));
    assert.deepEqual(
      ended.map(({ done }) => done),
      [true, true],
    );
    assert.deepEqual(asked, { one: 1, two: 1 });
    await opened.store.plants.create({ id: 21_000n, name: 'a' });
    assert.equal((await next).done, false);
    await allowed.return(undefined);
  });

  it('ends when nobody wants the changes any more', async () => {
    const hub = new ChangeHub(opened.store.changes, never);
    const gone: (() => void)[] = [];
    const onGone = (listener: () => void): void => void gone.push(listener);
    const follower = hub.follow(await opened.store.changes.latest(), { ...options, onGone });
    const next = follower.next();
    await until(() => gone.length > 0, 'it has begun');
    // The follower waits for a change by now. (It would also end if it did not.)
    await setTimeout(20);
    for (const listener of gone) listener();
    assert.equal((await next).done, true);
  });

  it('passes on an error of the store', async () => {
    const { changes } = opened.store;
    const reading = { fails: false };
    const begun = Promise.withResolvers<undefined>();
    const read: typeof changes.read = (page) => {
      begun.resolve(undefined);
      return reading.fails ? Promise.reject(new ServiceError('store_unavailable')) : changes.read(page);
    };
    const hub = new ChangeHub({ ...changes, read }, never);
    const follower = hub.follow(await changes.latest(), options);
    const failed = assert.rejects(follower.next(), { code: 'store_unavailable' });
    await begun.promise;
    reading.fails = true;
    await opened.store.plants.create({ id: 999_999n, name: 'a' });
    await failed;
  });
});
