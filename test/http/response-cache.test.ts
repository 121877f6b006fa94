/** The response cache, with a revision that the test sets. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResponseCache } from '../../src/http/steps/response-cache.ts';
import type { Reply } from '../../src/http/wire/reply.ts';

const page = (body: string): Reply => ({ status: 200, headers: {}, body });

describe('ResponseCache', () => {
  it('makes a page once per revision', async () => {
    let revision: number | undefined = 1;
    let made = 0;
    const cache = new ResponseCache({ revision: () => revision });
    const make = async (): Promise<Reply> => page(String(++made));
    assert.equal((await cache.getOrMake('a', make)).body, '1');
    assert.equal((await cache.getOrMake('a', make)).body, '1');
    assert.equal((await cache.getOrMake('b', make)).body, '2');
    revision = 2;
    assert.equal((await cache.getOrMake('a', make)).body, '3');
  });

  it('caches nothing that was read during a change', async () => {
    let revision = 1;
    const cache = new ResponseCache({ revision: () => revision });
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
    const old = cache.getOrMake('a', () => promise);
    revision = 2;
    await cache.getOrMake('b', async () => page('other'));
    resolve(page('old'));
    await old;
    assert.equal((await cache.getOrMake('a', async () => page('new'))).body, 'new');
  });

  it('caches nothing while others may write, and no failure', async () => {
    const shared = new ResponseCache({ revision: () => undefined });
    await shared.getOrMake('a', async () => page('first'));
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
    for (const key of ['a', 'b', 'c']) await cache.getOrMake(key, make);
    await cache.getOrMake('c', make);
    assert.equal(made, 3, 'the last one is kept');
    await cache.getOrMake('a', make);
    assert.equal(made, 4, 'the first ones are not');
    await cache.getOrMake('c', make);
    assert.equal(made, 4, 'again there is room for two');
  });

  it('counts overhead, too: many empty pages reach the limit', async () => {
    const cache = new ResponseCache({ revision: () => 1 });
    let made = 0;
    const make = async (): Promise<Reply> => page(String(++made));
    for (let key = 0; key < 12_000; key++) await cache.getOrMake(String(key), make);
    await cache.getOrMake('0', make);
    assert.equal(made, 12_001);
    const links = new ResponseCache({ revision: () => 1 });
    const makeLink = async (): Promise<Reply> => ({
      ...page(String(++made)),
      headers: { link: 'x'.repeat(1_500_000) },
    });
    for (const key of ['a', 'b', 'c']) await links.getOrMake(key, makeLink);
    await links.getOrMake('a', makeLink);
    assert.equal(made, 12_005);
  });
});
