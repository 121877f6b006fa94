/** Followers of the change log: how many, how they are woken, and what they read together. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { ChangePage } from '../../src/domain/change-log.ts';
import type { Store } from '../../src/domain/store.ts';
import { ChangeHub } from '../../src/http/operations/change-hub.ts';
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

const options = { filter: {}, limit: 100, patienceMs: 60_000 };

describe('ChangeHub', () => {
  it('reads once for all followers at the end of the log', async () => {
    const { store } = opened;
    const { changes, pages } = spy(store);
    const hub = new ChangeHub(changes);
    const end = new AbortController();
    const start = await store.changes.latest();
    const followers = Array.from({ length: 50 }, (_, index) =>
      hub.follow(start, { ...options, filter: index === 0 ? { kind: 'deleted' } : {}, ended: end.signal }),
    );
    const found = followers.map((follower) => follower.next());
    while (pages.length < 50) await new Promise(setImmediate);
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
    for (const follower of followers) assert.equal((await follower.next()).done, true);
  });

  it('takes a bounded number of followers', async () => {
    const hub = new ChangeHub(opened.store.changes);
    const end = new AbortController();
    const start = await opened.store.changes.latest();
    const followers = Array.from({ length: 2_000 }, () => {
      hub.requirePlace();
      const follower = hub.follow(start, { ...options, ended: end.signal });
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

  it('yields an empty batch in time, although there are changes that do not match', async () => {
    const hub = new ChangeHub(opened.store.changes);
    const end = new AbortController();
    const follower = hub.follow(await opened.store.changes.latest(), {
      filter: { kind: 'deleted' },
      limit: 100,
      patienceMs: 200,
      ended: end.signal,
    });
    const writer = { isDone: false };
    const writing = (async () => {
      for (let id = 10n; !writer.isDone; id++) await opened.store.plants.create({ id, name: 'a' });
    })();
    const { value } = await follower.next();
    writer.isDone = true;
    await writing;
    assert.deepEqual(value?.changes, []);
    end.abort();
    await follower.return(undefined);
  });
});
