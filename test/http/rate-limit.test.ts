/** The rate limit per token: what it allows, what it refuses, and recovery. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { scopes } from '../../src/domain/principal.ts';
import { RateLimiter } from '../../src/http/steps/rate-limit.ts';
import { exchange } from '../edge/connection.ts';
import { assertError } from '../support/assert-reply.ts';
import { importRows, ndjson } from '../support/bulk.ts';
import { passTime } from '../support/pass-time.ts';
import { nextId } from '../support/plants.ts';
import { readPlants } from '../support/store-under-test.ts';
import { postPlant, request } from '../support/request.ts';
import type { RequestOptions, Target } from '../support/request.ts';
import type { Reply } from '../support/reply.ts';
import { startService } from '../support/start-service.ts';
import { createToken } from '../support/tokens.ts';

const requestsMax = 3;
const slow = await startService({ after }, { env: { PLANT_STORE_RATE_LIMIT: `${requestsMax}/m` } });
const quick = await startService({ after }, { flags: ['--rate-limit', '1/s'] });

const create = (target: Target, options?: RequestOptions): Promise<Reply> =>
  postPlant(target, { id: nextId(), name: 'a' }, options);

describe('the rate limit', () => {
  it('allows the limit and refuses the next, with the time to wait', async () => {
    for (let count = 0; count < requestsMax; count++) assert.equal((await create(slow)).status, 200);
    const id = nextId();
    const reply = await postPlant(slow, { id, name: 'too many' });
    assertError(reply, 'rate_limited');
    const seconds = Number(reply.headers['retry-after']);
    assert.ok(seconds >= 1 && seconds <= 20, `one is given back every 20 s, and it says ${seconds}`);
    assert.equal(reply.headers['ratelimit'], `"token";r=0;t=${seconds}`);
    assert.equal(reply.headers['ratelimit-policy'], `"token";q=${requestsMax};w=60`);
    assert.equal((await readPlants(slow.dataDir)).has(id), false);
  });

  it('is counted per token', async () => {
    const { token } = await createToken(slow, ['plants:write']);
    for (let count = 0; count < requestsMax; count++) assert.equal((await create(slow, { token })).status, 200);
    assertError(await create(slow, { token }), 'rate_limited');
  });

  it('counts requests that fail, but none without a valid token', async () => {
    const { token } = await createToken(slow, ['plants:write']);
    for (let count = 0; count < requestsMax + 2; count++) {
      assertError(await request(slow, { body: '{', token: null }), 'token_missing');
      assertError(await request(slow, { body: '{', token: 'unknown' }), 'token_invalid');
    }
    for (let count = 0; count < requestsMax; count++) {
      assertError(await request(slow, { body: '{', token }), 'json_malformed');
    }
    assertError(await request(slow, { body: '{', token }), 'rate_limited');
  });

  it('does not apply to public operations', async () => {
    for (let count = 0; count < 2 * requestsMax; count++)
      assert.equal((await request(slow, { path: '/livez' })).status, 200);
  });

  it('charges 4 KiB of a request or a response as one more, and at most the limit', async () => {
    const rows = Array.from({ length: 100 }, () => `{"id":${nextId()},"name":"${'x'.repeat(900)}"}\n`).join('');
    const [first, second] = [await createToken(slow, scopes), await createToken(slow, scopes)];
    await importRows({ ...slow, token: first.token }, ndjson, rows);
    await request(slow, { path: '/plants?limit=1', token: second.token });
    await request(slow, { path: '/plants?limit=1000', token: second.token });
    for (const { token } of [first, second]) {
      const reply = await request(slow, { path: '/plants', token });
      assertError(reply, 'rate_limited');
      const seconds = Number(reply.headers['retry-after']);
      assert.ok(seconds > 60 && seconds <= 80, `it owes three and needs one, and it says ${seconds}`);
    }
  });

  it('charges a body that arrives with its head, but not what others moved on the connection', async () => {
    const ample = await startService({ after }, { env: { PLANT_STORE_RATE_LIMIT: '20/h' } });
    const { token } = await createToken(ample, scopes);
    const toRequest = (lines: readonly string[], body = ''): string =>
      [...lines, 'Host: a', `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n');
    const body = JSON.stringify({ id: 1, name: 'a', more: 'x'.repeat(10 * 4_096) });
    const post = ['POST /plants HTTP/1.1', 'Content-Type: application/json'];
    const get = ['GET /plants/1 HTTP/1.1', `Authorization: Bearer ${token}`];
    const sent = [
      toRequest([...post, `Authorization: Bearer ${ample.token}`], body),
      toRequest(['GET /openapi.json HTTP/1.1']),
      toRequest(get),
      toRequest([...get, 'Connection: close']),
    ].join('');
    const text = String(await exchange(ample, sent));
    assert.equal(text.match(/HTTP\/1\.1 200/g)?.length, 4, text.slice(0, 2_000));
    const countLeft = async (of: string): Promise<number> => {
      for (let count = 0; ; count++)
        if ((await request(ample, { path: '/plants', token: of })).status === 429) return count;
    };
    assert.equal(await countLeft(ample.token), 20 - 1 - 10);
    assert.equal(await countLeft(token), 20 - 2);
  });

  it('allows requests again after Retry-After seconds', async () => {
    assert.equal((await create(quick)).status, 200);
    const reply = await create(quick);
    assertError(reply, 'rate_limited');
    await passTime(Number(reply.headers['retry-after']) * 1000);
    assert.equal((await create(quick)).status, 200);
  });
});

describe('RateLimiter', () => {
  let nowMs = 0;
  const open = (): RateLimiter => new RateLimiter({ requestsMax: 2, periodMs: 1_000 }, 'token', () => nowMs);
  const isRefused = { code: 'rate_limited' };

  it('gives back what the time since the last request allows, once, and never more than the limit', () => {
    const limiter = open();
    const one = 'one';
    limiter.take(one);
    limiter.take(one);
    assert.throws(() => limiter.take(one), isRefused);
    nowMs += 500;
    limiter.take(one);
    assert.throws(() => limiter.take(one), isRefused, 'half of the period has given back one');
    nowMs += 60_000;
    limiter.take(one);
    limiter.take(one);
    assert.throws(() => limiter.take(one), isRefused);
  });

  it('lets a token owe what an answered request has moved, at most the limit', () => {
    const limiter = open();
    const one = 'one';
    limiter.take(one);
    limiter.charge(one, 4_095);
    limiter.take(one);
    limiter.charge(one, 4_096);
    nowMs += 500;
    assert.throws(() => limiter.take(one), isRefused, 'it owes one');
    nowMs += 500;
    limiter.take(one);
    limiter.charge(one, 1e9);
    nowMs += 1_499;
    assert.throws(() => limiter.take(one), isRefused, 'it owes two');
    nowMs += 1;
    limiter.take(one);
  });

  it('drops the tokens that are not limited any more when there are many, and otherwise all', () => {
    const limiter = open();
    const one = 'one';
    const others = (count: number, name: string): void => {
      for (let index = 0; index < count; index++) limiter.take(`${name} ${index}`);
    };
    others(9_999, 'old');
    nowMs += 1_000;
    limiter.take(one);
    limiter.take(one);
    others(5_000, 'new');
    assert.throws(() => limiter.take(one), isRefused, 'this one was used since');
    others(5_000, 'newer');
    limiter.take(one);
  });
});
