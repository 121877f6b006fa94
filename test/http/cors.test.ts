/** CORS: no fields without configured origins; with them, the fields of the Fetch standard for these origins only. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { assertError } from '../support/assert-reply.ts';
import { nextId } from '../support/plants.ts';
import type { Reply } from '../support/reply.ts';
import { request } from '../support/request.ts';
import type { RequestOptions, Target } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const [shop, local] = ['https://shop.example', 'http://localhost:5173'];
const off = await startService({ after });
const on = await startService({ after }, { env: { PLANT_STORE_CORS_ORIGINS: `${shop}, ${local}` } });
const any = await startService({ after }, { env: { PLANT_STORE_CORS_ORIGINS: '*' } });

const alien = 'https://shop.example.evil';
const strangers = [alien, 'http://shop.example', 'https://shop.example:8443', 'https://SHOP.example', 'null', ''];

function corsFields({ headers }: Reply): string[] {
  return Object.keys(headers).filter((name) => name.startsWith('access-control-'));
}

function preflight(target: Target, origin: string, options: RequestOptions = {}): Promise<Reply> {
  return request(target, {
    method: 'OPTIONS',
    path: '/plants',
    token: null,
    ...options,
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
      ...options.headers,
    },
  });
}

describe('without configured origins', () => {
  it('no response has a CORS field, and a preflight is a wrong method', async () => {
    const body = `{"id":${nextId()},"name":"a"}`;
    for (const options of [{}, { body }, { path: '/nothing' }, { body, token: null }]) {
      const reply = await request(off, { ...options, headers: { origin: shop } });
      assert.deepEqual(corsFields(reply), []);
    }
    const reply = await preflight(off, shop);
    assertError(reply, 'method_not_allowed');
    assert.deepEqual(corsFields(reply), []);
  });
});

describe('with configured origins', () => {
  for (const origin of [shop, local]) {
    it(`a preflight of ${origin} needs no token`, async () => {
      const reply = await preflight(on, origin);
      assert.equal(reply.status, 204);
      assert.equal(reply.headers['access-control-allow-origin'], origin);
      assert.ok(reply.headers['access-control-allow-methods']?.split(', ').includes('POST'));
      const allowed = reply.headers['access-control-allow-headers']?.toLowerCase().split(', ') ?? [];
      assert.ok(allowed.includes('authorization') && allowed.includes('content-type') && allowed.includes('prefer'));
      assert.ok(Number(reply.headers['access-control-max-age']) > 0);
      assert.equal(reply.headers['content-length'] ?? '0', '0');
      assert.match(reply.headers['vary'] ?? '', /\bOrigin\b/);
    });
  }

  it('every response, even an error, lets the page read it and its fields', async () => {
    const body = `{"id":${nextId()},"name":"a"}`;
    const wanted: readonly (readonly [RequestOptions, number])[] = [
      [{ body }, 200],
      [{ body, token: null }, 401],
      [{ body: '{' }, 400],
      [{ path: '/nothing' }, 404],
      [{ path: '/livez' }, 200],
      [{ headers: { 'x-long': 'a'.repeat(17_000) } }, 431],
    ];
    for (const [options, status] of wanted) {
      const reply = await request(on, { ...options, headers: { origin: shop, ...options.headers } });
      assert.equal(reply.status, status);
      assert.equal(reply.headers['access-control-allow-origin'], shop);
      assert.match(reply.headers['vary'] ?? '', /\bOrigin\b/);
      assert.equal(reply.headers['access-control-allow-credentials'], undefined);
    }
  });

  it('a page can read every header field that the description names', async () => {
    const reply = await request(on, { headers: { origin: shop } });
    const exposed = reply.headers['access-control-expose-headers']?.split(', ') ?? [];
    const { text } = await request(on, { path: '/openapi.json' });
    const { paths, components } = JSON.parse(text) as { paths: object; components: { responses: object } };
    const named = new Set<string>();
    JSON.parse(JSON.stringify([paths, components.responses]), (key, value: object) => {
      if (key === 'headers') for (const name of Object.keys(value)) named.add(name);
      return value;
    });
    assert.ok(named.has('RateLimit'));
    named.add('Preference-Applied');
    // Any page may read the first; the second is for the browser; the third is a trailer field.
    const others = ['Cache-Control', 'X-Content-Type-Options', 'Plants-Exported'];
    assert.deepEqual(named.difference(new Set([...exposed, ...others])), new Set());
  });

  it('Vary still names other header fields that matter', async () => {
    const reply = await request(on, { headers: { origin: shop } });
    assert.deepEqual(reply.headers['vary']?.split(', ').sort(), ['Accept', 'Origin']);
  });

  for (const origin of strangers) {
    it(`${JSON.stringify(origin)} gets no permission, and Vary tells caches`, async () => {
      const reply = await request(on, { headers: { origin } });
      assert.deepEqual([reply.status, corsFields(reply)], [200, []]);
      assert.match(reply.headers['vary'] ?? '', /\bOrigin\b/);
      const refused = await preflight(on, origin);
      assertError(refused, 'method_not_allowed');
      assert.deepEqual(corsFields(refused), []);
    });
  }

  it('a preflight succeeds for any path and method, so that a page sees 404 and 405; other OPTIONS do not', async () => {
    const wanted = { 'access-control-request-method': 'DELETE' };
    for (const path of ['/nothing', '/plants']) {
      const { status, headers } = await preflight(on, shop, { path, headers: wanted });
      assert.equal(status, 204, path);
      assert.match(headers['access-control-allow-methods'] ?? '', /\bDELETE\b/);
    }
    const lost = await request(on, { method: 'DELETE', path: '/nothing', headers: { origin: shop } });
    assertError(lost, 'path_unknown');
    assert.equal(lost.headers['access-control-allow-origin'], shop);
    const noPreflight = { 'access-control-request-method': undefined };
    assertError(await preflight(on, shop, { path: '/nothing', headers: noPreflight }), 'path_unknown');
    assertError(await preflight(on, shop, { headers: noPreflight }), 'method_not_allowed');
  });
});

describe('with any origin', () => {
  it('a preflight allows the fields that it asks for', async () => {
    const asked = { 'access-control-request-headers': 'authorization,x-trace' };
    const allowed = (reply: Reply): unknown => reply.headers['access-control-allow-headers'];
    assert.equal(allowed(await preflight(any, shop, { headers: asked })), 'authorization,x-trace');
    assert.doesNotMatch(String(allowed(await preflight(on, shop, { headers: asked }))), /x-trace/);
  });

  it('the response is for all, without credentials', async () => {
    for (const origin of [shop, alien, 'null']) {
      const replies = [await request(any, { headers: { origin } }), await preflight(any, origin)];
      for (const reply of replies) {
        assert.equal(reply.headers['access-control-allow-origin'], '*');
        assert.equal(reply.headers['access-control-allow-credentials'], undefined);
      }
    }
  });
});
