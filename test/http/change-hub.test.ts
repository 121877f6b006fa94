/** Followers of the change log: how many, how they are woken, and what they read together. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { ChangeFilter, ChangePage } from '../../src/domain/change-log.ts';
import { ServiceError } from '../../src/domain/errors.ts';
import type { Store } from '../../src/domain/store.ts';
import { ChangeHub } from '../../src/http/operations/change-hub.ts';
import { readAll } from '../store/behaviour-changes.ts';
import { openTemporaryStore } from '../store/open-temporary-store.ts';

const opened = await openTemporaryStore();
after(() => opened.close());

/** The change log, with the pages that were read. */
function spy({ changes }: Store): { changes: Store['changes']; pages: ChangePage[] } {
  const pages: ChangePage[] = [];
  const read: Store['changes']['read'] = (page) => {
    pages.push(page);
    return changes.read(page);
  };
  return { changes: { ...changes, read }, pages };
}

/** Resolves when followers that were just asked for changes have found the end of the log. */
async function allJoin(): Promise<void> {
  // Each reads in a microtask, and joins in the immediate that follows.
  await setImmediate();
  await setImmediate();
}

const never = new AbortController().signal;
const options = { filter: {}, limit: 100, patienceMs: 60_000, onGone: () => undefined };

describe('ChangeHub', () => {
  it('reads once for all followers at the end of the log', async () => {
    const { store } = opened;
    const { changes, pages } = spy(store);
    const end = new AbortController();
    const hub = new ChangeHub(changes, end.signal);
    const start = await store.changes.latest();
    const followers = Array.from({ length: 50 }, (_, index) =>
      hub.follow(start, { ...options, filter: index === 0 ? { kind: 'deleted' } : {} }),
    );
    const found = followers.map((follower) => follower.next());
    await allJoin();
    assert.equal(pages.length, 50);
    await store.plants.create({ id: 1n, name: 'a' });
    await Promise.all(found.slice(1));
    assert.equal(pages.length, 51);
    await store.plants.delete(1n, {});
    const { value } = (await found[0]) ?? {};
    assert.deepEqual(
      value?.changes.map(({ kind }) => kind),
      ['deleted'],
    );
    end.abort();
    for (const follower of followers.slice(0, 1)) assert.equal((await follower.next()).done, true);
  });

  it('reads only what all followers at the end of the log want', async () => {
    const { store } = opened;
    const { changes, pages } = spy(store);
    const end = new AbortController();
    const hub = new ChangeHub(changes, end.signal);
    const start = await store.changes.latest();
    const followers = Array.from({ length: 3 }, () => hub.follow(start, { ...options, filter: { tag: 'wanted' } }));
    const found = followers.map((follower) => follower.next());
    await allJoin();
    await store.plants.create({ id: 2n, name: 'a', tag: 'other' });
    while (pages.length < 4) await setImmediate();
    await store.plants.create({ id: 3n, name: 'a', tag: 'wanted' });
    for (const { value } of await Promise.all(found))
      assert.deepEqual(
        value?.changes.map(({ id }) => id),
        [3n],
      );
    assert.deepEqual(new Set(pages.map(({ tag }) => tag)), new Set(['wanted']));
    end.abort();
    for (const follower of followers) assert.equal((await follower.next()).done, true);
  });

  it('serves a follower that came between two reads for all', async () => {
    const { store } = opened;
    const { changes, pages } = spy(store);
    const hub = new ChangeHub(changes, never);
    const start = await store.changes.latest();
    const follow = (): ReturnType<ChangeHub['follow']> => hub.follow(start, { ...options, filter: { tag: 'rare' } });
    const early = follow();
    const found = [early.next()];
    await allJoin();
    await store.plants.create({ id: 4n, name: 'a', tag: 'other' });
    while (pages.length < 2) await setImmediate();
    await store.plants.create({ id: 5n, name: 'a', tag: 'other' });
    const late = follow();
    found.push(late.next());
    while (pages.length < 4) await setImmediate();
    await store.plants.create({ id: 6n, name: 'a', tag: 'rare' });
    for (const { value } of await Promise.all(found))
      assert.deepEqual(
        value?.changes.map(({ id }) => id),
        [6n],
      );
    for (const follower of [early, late]) await follower.return(undefined);
  });

  it('serves a follower whose read took longer than one that was begun later', async () => {
    const { store } = opened;
    const held = Promise.withResolvers<undefined>();
    let reads = 0;
    const read: Store['changes']['read'] = async (page) => {
      const isFirst = (reads += 1) === 1;
      const batch = await store.changes.read(page);
      if (isFirst) await held.promise;
      return batch;
    };
    const end = new AbortController();
    // As if another instance had written: nobody tells this one.
    const hub = new ChangeHub({ ...store.changes, read, subscribe: () => () => undefined }, end.signal);
    const start = await store.changes.latest();
    const slow = hub.follow(start, options);
    const found = slow.next();
    await allJoin();
    await store.plants.create({ id: 7n, name: 'a' });
    const other = hub.follow(await store.changes.latest(), options);
    const next = other.next();
    await allJoin();
    held.resolve(undefined);
    const { value } = await Promise.race([found, setTimeout(2_000, { value: undefined })]);
    assert.deepEqual(
      value?.changes.map(({ id }) => id),
      [7n],
    );
    end.abort();
    await next;
    for (const follower of [slow, other]) await follower.return(undefined);
  });

  const wanted: readonly (readonly [title: string, filters: readonly ChangeFilter[]])[] = [
    ['they want different changes', [{}, { tag: 't1' }]],
    ['all want the same changes', [{ tag: 't2' }]],
  ];
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

  it('takes a bounded number of followers', async () => {
    const end = new AbortController();
    const hub = new ChangeHub(opened.store.changes, end.signal);
    const start = await opened.store.changes.latest();
    const followers = Array.from({ length: 2_000 }, () => {
      hub.requirePlace();
      const follower = hub.follow(start, options);
      return { follower, next: follower.next() };
    });
    assert.throws(() => hub.requirePlace(), { code: 'store_busy' });
    end.abort();
    for (const { follower, next } of followers) {
      await next;
      await follower.return(undefined);
    }
    hub.requirePlace();
  });

  it('ends when nobody wants the changes any more', async () => {
    const hub = new ChangeHub(opened.store.changes, never);
    const gone: (() => void)[] = [];
    const onGone = (listener: () => void): void => void gone.push(listener);
    const follower = hub.follow(await opened.store.changes.latest(), { ...options, onGone });
    const next = follower.next();
    await setTimeout(20);
    for (const listener of gone) listener();
    assert.equal((await next).done, true);
  });

  it('yields an empty batch in time, although there are changes that do not match', async () => {
    const hub = new ChangeHub(opened.store.changes, never);
    const follower = hub.follow(await opened.store.changes.latest(), {
      ...options,
      filter: { kind: 'deleted' },
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

  it('passes on an error of the store', async () => {
    const { changes } = opened.store;
    const reading = { fails: false };
    const read: typeof changes.read = (page) =>
      reading.fails ? Promise.reject(new ServiceError('store_unavailable')) : changes.read(page);
    const hub = new ChangeHub({ ...changes, read }, never);
    const follower = hub.follow(await changes.latest(), options);
    const next = follower.next();
    await setTimeout(20);
    reading.fails = true;
    await opened.store.plants.create({ id: 999_999n, name: 'a' });
    await assert.rejects(next, { code: 'store_unavailable' });
  });
});
