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
    assert.equal((await cache.find('a', make)).body, '1');
    assert.equal((await cache.find('a', make)).body, '1');
    assert.equal((await cache.find('b', make)).body, '2');
    revision = 2;
    assert.equal((await cache.find('a', make)).body, '3');
  });

  it('caches nothing that was read during a change', async () => {
    let revision = 1;
    const cache = new ResponseCache({ revision: () => revision });
    const old = await cache.find('a', async () => {
      revision = 2;
      return page('old');
    });
    assert.equal(old.body, 'old');
    assert.equal((await cache.find('a', async () => page('new'))).body, 'new');
  });

  it('keeps no page of an earlier revision that is finished after one of a later revision', async () => {
    let revision = 1;
    const cache = new ResponseCache({ revision: () => revision });
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const old = cache.find('a', () => promise);
    revision = 2;
    await cache.find('b', async () => page('other'));
    resolve(page('old'));
    await old;
    assert.equal((await cache.find('a', async () => page('new'))).body, 'new');
  });

  it('caches nothing while others may write, and no failure', async () => {
    const shared = new ResponseCache({ revision: () => undefined });
    await shared.find('a', async () => page('first'));
    assert.equal((await shared.find('a', async () => page('second'))).body, 'second');
    const own = new ResponseCache({ revision: () => 1 });
    await assert.rejects(async () => own.find('a', () => Promise.reject(new Error('no'))));
    assert.equal((await own.find('a', async () => page('yes'))).body, 'yes');
  });

  it('clears itself instead of exceeding its limit', async () => {
    const cache = new ResponseCache({ revision: () => 1 });
    const large = 'x'.repeat(2_000_000);
    let made = 0;
    const make = async (): Promise<Reply> => page(large + String(++made));
    for (const key of ['a', 'b', 'c']) await cache.find(key, make);
    await cache.find('c', make);
    assert.equal(made, 3, 'the last one is kept');
    await cache.find('a', make);
    assert.equal(made, 4, 'the first ones are not');
    await cache.find('c', make);
    assert.equal(made, 4, 'again there is room for two');
  });

  it('counts overhead, too: many empty pages reach the limit', async () => {
    const cache = new ResponseCache({ revision: () => 1 });
    let made = 0;
    const make = async (): Promise<Reply> => page(String(++made));
    for (let key = 0; key < 12_000; key++) await cache.find(String(key), make);
    await cache.find('0', make);
    assert.equal(made, 12_001);
    const links = new ResponseCache({ revision: () => 1 });
    const makeLink = async (): Promise<Reply> => ({
      ...page(String(++made)),
      headers: { link: 'x'.repeat(1_500_000) },
    });
    for (const key of ['a', 'b', 'c']) await links.find(key, makeLink);
    await links.find('a', makeLink);
    assert.equal(made, 12_005);
  });
});
