/** The addresses of the service: below a base path, behind a proxy. test/edge/tls.deep.test.ts tests TLS. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { assertError } from '../support/assert-reply.ts';
import { assertServes } from '../support/plants.ts';
import { request } from '../support/request.ts';
import { sendRaw } from '../edge/connection.ts';
import type { Target } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const basePath = '/api/v1';
const below = await startService(
  { after },
  { env: { PLANT_STORE_BASE_PATH: basePath, PLANT_STORE_TRUSTED_PROXIES: '127.0.0.0/8' } },
);
const plain = await startService({ after });
const origin = `http://127.0.0.1:${below.port}`;

type Headers = Readonly<Record<string, string>>;

/** Returns the address in both formats of the description; they must be equal. */
async function describedUrl(target: Target, headers: Headers = {}): Promise<string> {
  const json = await request(target, { path: '/openapi.json', headers });
  const { servers } = JSON.parse(json.text) as { servers: { url: string }[] };
  const yaml = await request(target, { path: '/openapi.yaml', headers });
  assert.equal(servers.length, 1);
  const url = servers[0]?.url ?? '';
  assert.ok(yaml.text.includes(`\nservers:\n  - url: ${JSON.stringify(url)}\n`));
  return url;
}

describe('a base path', () => {
  it('is part of the logged address, of every path, and of the description', async () => {
    assert.equal(below.url, `${origin}${basePath}`);
    assert.equal(await describedUrl(below), below.url);
    for (const path of ['/', '/livez', '/readyz']) assert.equal((await request(below, { path })).status, 200, path);
    await assertServes(below);
  });

  it('and a prefix that a proxy cuts are kept by the links of the root, as JSON and as a page', async () => {
    const reply = await request(below);
    const root = JSON.parse(reply.text) as Record<string, string>;
    const page = (await request(below, { headers: { accept: 'text/html' } })).text;
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
    for (const link of [root['openapi'] ?? '', root['documentation'] ?? '', ...links]) {
      assert.doesNotMatch(link, /^\//);
      const path = reply.resolve(link).slice(basePath.length);
      assert.equal((await request(below, { path })).status, 200, link);
    }
  });

  it('is exact: without it, or next to it, nothing is found', async () => {
    const paths = ['/', '/plants', '/api', '/api/v1x/plants', '/api/v1plants', '/API/V1/plants', '/api/v1//plants'];
    for (const path of [...paths, '/api/v1/api/v1/plants']) {
      const [reply] = await sendRaw(below, `POST ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      assertError(reply, 'path_unknown', path);
    }
    const wrong = await request(below, { path: '/openapi.json', method: 'POST' });
    assertError(wrong, 'method_not_allowed');
    assert.equal(wrong.headers['allow'], 'GET, HEAD');
  });
});

describe('the described address', () => {
  it('is the one that the client used', async () => {
    const host = 'plants.example:8080';
    assert.equal(await describedUrl(plain), plain.url);
    assert.equal(await describedUrl(plain, { host }), `http://${host}`);
    assert.equal(await describedUrl(below, { host }), `http://${host}${basePath}`);
    assert.equal(await describedUrl(plain, { host: '[::1]:3000' }), 'http://[::1]:3000');
    const absolute = 'GET http://shop.example/openapi.yaml HTTP/1.1\r\nHost: other.example\r\n\r\n';
    const [reply] = await sendRaw(plain, absolute, { requests: [{ method: 'GET', path: '/openapi.yaml' }] });
    assert.match(reply?.text ?? '', /^ {2}- url: "http:\/\/shop\.example"$/m);
  });

  const forwarded: Headers = { 'x-forwarded-host': 'shop.example', 'x-forwarded-proto': 'https' };

  it('is the one from a trusted proxy', async () => {
    assert.equal(await describedUrl(below, forwarded), `https://shop.example${basePath}`);
    const prefixed = { ...forwarded, 'x-forwarded-prefix': '/garden/' };
    assert.equal(await describedUrl(below, prefixed), `https://shop.example/garden${basePath}`);
    assert.equal(await describedUrl(below), below.url, 'and only of that request');
  });

  it('is never taken from an untrusted peer', async () => {
    assert.equal(await describedUrl(plain, { ...forwarded, 'x-forwarded-prefix': '/garden' }), plain.url);
  });

  const unfit: [what: string, headers: Headers][] = [
    ['a host that is none', { ...forwarded, 'x-forwarded-host': 'a"\\}]: {{x}}\t#<b>' }],
    ['a host with a path', { ...forwarded, 'x-forwarded-host': 'shop.example/x' }],
    ['an empty host', { ...forwarded, 'x-forwarded-host': '' }],
    ['a prefix that is no path', { 'x-forwarded-proto': 'https', 'x-forwarded-prefix': '//evil.example' }],
  ];
  for (const [what, headers] of unfit) {
    it(`ignores ${what} from a trusted proxy`, async () => {
      assert.equal(await describedUrl(below, headers), below.url.replace('http:', 'https:'));
    });
  }

  it('ignores a protocol other than http and https', async () => {
    const headers = { ...forwarded, 'x-forwarded-proto': 'javascript' };
    assert.equal(await describedUrl(below, headers), `http://shop.example${basePath}`);
  });

  it('is the one from the nearest of several proxies', async () => {
    const headers = { 'x-forwarded-host': 'evil.example, shop.example', 'x-forwarded-proto': 'http, https' };
    assert.equal(await describedUrl(below, headers), `https://shop.example${basePath}`);
  });

  it('is relative if the client does not send it', async () => {
    for (const [target, url] of [
      [plain, '/'],
      [below, basePath],
    ] as const) {
      const [reply] = await sendRaw(target, `GET ${target.basePath}/openapi.json HTTP/1.0\r\n\r\n`);
      const { servers } = JSON.parse(reply?.text ?? '') as { servers: { url: string }[] };
      assert.equal(servers[0]?.url, url);
    }
  });
});
