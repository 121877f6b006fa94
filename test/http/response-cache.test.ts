/** The response cache, with a revision that the test sets. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResponseCache } from '../../src/http/steps/response-cache.ts';
import type { Reply } from '../../src/http/wire/reply.ts';

const page = (body: string): Reply => ({ status: 200, headers: {}, body });

/** Asks twice, so that the page is kept. */
async function keep(cache: ResponseCache, key: string, make: () => Promise<Reply>): Promise<void> {
  await cache.getOrMake(key, make);
  await cache.getOrMake(key, make);
}

describe('ResponseCache', () => {
  it('keeps a page that is asked for twice at a revision', async () => {
    let revision: number | undefined = 1;
    let made = 0;
    const cache = new ResponseCache({ revision: () => revision });
    const make = async (): Promise<Reply> => page(String(++made));
    const bodies = async (...keys: readonly string[]): Promise<unknown[]> => {
      const found: unknown[] = [];
      for (const key of keys) found.push((await cache.getOrMake(key, make)).body);
      return found;
    };
    assert.deepEqual(await bodies('a', 'a', 'a', 'b'), ['1', '2', '2', '3']);
    revision = 2;
    assert.deepEqual(await bodies('a', 'a', 'a'), ['4', '5', '5']);
  });

  it('caches nothing that was read during a change', async () => {
    let revision = 1;
    const cache = new ResponseCache({ revision: () => revision });
    await cache.getOrMake('a', async () => page('first'));
    const old = await cache.getOrMake('a', async () => {
      revision = 2;
      return page('old');
    });
    assert.equal(old.body, 'old');
    assert.equal((await cache.getOrMake('a', async () => page('new'))).body, 'new');
  });

  it('keeps no page of an earlier revision that is finished after one of a later revision', async () => {
    let revision = 1;
    const cache = new ResponseCache({ revision: () => revision });
    const { promise, resolve } = Promise.withResolvers<Reply>();
    await cache.getOrMake('a', async () => page('first'));
    const old = cache.getOrMake('a', () => promise);
    revision = 2;
    await cache.getOrMake('b', async () => page('other'));
    resolve(page('old'));
    await old;
    assert.equal((await cache.getOrMake('a', async () => page('new'))).body, 'new');
  });

  it('caches nothing while others may write, and no failure', async () => {
    const shared = new ResponseCache({ revision: () => undefined });
    await keep(shared, 'a', async () => page('first'));
    assert.equal((await shared.getOrMake('a', async () => page('second'))).body, 'second');
    const own = new ResponseCache({ revision: () => 1 });
    await assert.rejects(async () => own.getOrMake('a', () => Promise.reject(new Error('no'))));
    assert.equal((await own.getOrMake('a', async () => page('yes'))).body, 'yes');
  });

  it('clears itself instead of exceeding its limit', async () => {
    const cache = new ResponseCache({ revision: () => 1 });
    const large = 'x'.repeat(2_000_000);
    let made = 0;
    const make = async (): Promise<Reply> => page(large + String(++made));
    for (const key of ['a', 'b', 'c']) await keep(cache, key, make);
    assert.equal(made, 6);
    await cache.getOrMake('c', make);
    assert.equal(made, 6, 'the last one is kept');
    await keep(cache, 'a', make);
    assert.equal(made, 8, 'the first ones are not');
    await cache.getOrMake('c', make);
    assert.equal(made, 8, 'again there is room for two');
  });

  it('counts overhead, too: many empty pages, and keys alone, reach the limit', async () => {
    let made = 0;
    const make = async (): Promise<Reply> => page(String(++made));
    const pages = new ResponseCache({ revision: () => 1 }, 40_000);
    for (let key = 0; key < 110; key++) await keep(pages, String(key), make);
    await pages.getOrMake('0', make);
    assert.equal(made, 221);
    const keys = new ResponseCache({ revision: () => 1 }, 40_000);
    await keep(keys, '0', make);
    for (let key = 1; key < 1_500; key++) await keys.getOrMake(String(key), make);
    await keys.getOrMake('0', make);
    assert.equal(made, 1_723);
    const links = new ResponseCache({ revision: () => 1 });
    const makeLink = async (): Promise<Reply> => ({
      ...page(String(++made)),
      headers: { link: 'x'.repeat(1_500_000) },
    });
    for (const key of ['a', 'b', 'c']) await keep(links, key, makeLink);
    await links.getOrMake('a', makeLink);
    assert.equal(made, 1_730);
  });
});
