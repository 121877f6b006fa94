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
    while (pages.length < 50) await setImmediate();
    await setImmediate();
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

  it('gives each follower every change once, wherever it began and however slow it is', async () => {
    const { store } = opened;
    const hub = new ChangeHub(store.changes, never);
    const total = 6_000;
    const start = await store.changes.latest();
    const writing = (async () => {
      for (let first = 0; first < total; first += 30)
        await Promise.all(
          Array.from({ length: 30 }, (_, index) =>
            store.plants.create({ id: BigInt(100_000 + first + index), name: 'a', tag: `t${index % 3}` }),
          ),
        );
    })();
    const collect = async (delayMs: number, filter: ChangeFilter, wanted: number): Promise<string[]> => {
      const seen: string[] = [];
      await setTimeout(delayMs);
      for await (const { changes, next } of hub.follow(start, { ...options, filter, patienceMs: 100 })) {
        seen.push(...changes.map(({ position }) => position));
        if (changes.length > 0 && changes.length < options.limit) assert.ok(next.length > 0);
        if (seen.length >= wanted) return seen;
        if (delayMs > 0) await setTimeout(delayMs / 10);
      }
      return seen;
    };
    const readers = [0, 5, 40, 100, 300].flatMap((delayMs) => [
      collect(delayMs, {}, total),
      collect(delayMs, { tag: 't1' }, total / 3),
    ]);
    await writing;
    const all = await readAll(store, { after: start });
    const positions = all.map(({ position }) => position);
    const ofTag = all.filter(({ plant }) => plant?.tag === 't1').map(({ position }) => position);
    for (const [index, reader] of readers.entries())
      assert.deepEqual(await reader, index % 2 === 0 ? positions : ofTag, `reader ${index}`);
  });

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
