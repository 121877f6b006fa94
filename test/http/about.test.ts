/** The public operations: service info, served description, health; and HEAD like GET. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { toJson } from '../../src/json/to-json.ts';
import { assertError } from '../support/assert-reply.ts';
import { contract, contractText, sample, sampleText } from '../support/read-contract.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });
const get = (path: string, accept?: string): ReturnType<typeof request> =>
  request(service, { path, token: null, headers: { accept } });

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('getRoot', () => {
  it('is service info as JSON, and each link works', async () => {
    const reply = await get('/');
    const root = JSON.parse(reply.text) as Record<string, string>;
    assert.deepEqual([root['name'], root['version']], ['Plant Store', '1.0.0']);
    for (const link of ['documentation', 'console', 'openapi', 'sample'])
      assert.equal((await get(reply.resolve(root[link]))).status, 200, link);
  });

  it('is a page for browsers, with working links and no scripts', async () => {
    const { headers, text, resolve } = await get('/', browser);
    assert.match(headers['content-type'] ?? '', /^text\/html/);
    assert.match(text, /^<!doctype html>\n<html lang="en">/);
    assert.match(
      text,
      /in the data folder of the service\.\nWith PostgreSQL, create one with <code>plant-store token create</,
    );
    assert.doesNotMatch(text, /data\/initial-token/);
    const lead = /<p class="lead">(.*)/.exec(text)?.[1] ?? '';
    assert.match(lead, /<a href="console">/);
    assert.doesNotMatch(lead, /HTTP|API|64-bit/);
    assert.doesNotMatch(text, /<script|<style|\bon\w+=|https?:/);
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
    assert.ok(links.length >= 7);
    for (const link of links) assert.equal((await get(resolve(link))).status, 200, link);
  });

  const choices: readonly (readonly [accept: string | undefined, type: 'json' | 'html' | undefined])[] = [
    [undefined, 'json'],
    ['*/*', 'json'],
    ['application/*', 'json'],
    ['text/*', 'html'],
    ['text/html, */*', 'html'],
    [browser, 'html'],
    ['text/html;q=0.5, application/json', 'json'],
    ['text/html, application/json;q=0.5', 'html'],
    ['text/html;q=0, */*', 'json'],
    ['application/json;q=0, */*', 'html'],
    ['image/png', undefined],
  ];
  for (const [accept, type] of choices) {
    it(`answers Accept ${accept ?? '(absent)'} with ${type ?? 'a refusal'}`, async () => {
      const reply = await get('/', accept);
      if (type === undefined) assertError(reply, 'not_acceptable');
      else assert.ok(reply.headers['content-type']?.includes(type));
      if (type !== undefined) assert.equal(reply.headers['vary'], 'Accept');
    });
  }
});

describe('the served description', () => {
  const withSample = (text: string): string => text.replaceAll(service.url, 'http://127.0.0.1:3000');

  it('is the sample below /sample, with this address', async () => {
    const { text, json } = await get('/sample/openapi.json');
    assert.ok(text.includes(service.url));
    assert.equal(withSample(toJson(json())), toJson(sample.document));
    const yaml = await get('/sample/openapi.yaml');
    assert.equal(withSample(yaml.text).replace(/"(http[^"]+)"/, '$1'), sampleText);
  });

  it('is openapi.yaml as JSON with this address, and exact integers', async () => {
    const { text, json } = await get('/openapi.json');
    assert.equal(withSample(toJson(json())), toJson(contract.document));
    for (const bound of ['-9223372036854775808', '9223372036854775807']) assert.ok(text.includes(`: ${bound}`), bound);
  });

  it('is openapi.yaml as written, comments included, with this address', async () => {
    const { text, headers } = await get('/openapi.yaml');
    assert.equal(headers['content-type'], 'application/yaml');
    assert.equal(withSample(text).replace(/"(http[^"]+)"/, '$1'), contractText);
  });

  it('has one media type per format', async () => {
    assertError(await get('/openapi.json', 'application/yaml'), 'not_acceptable');
    assertError(await get('/openapi.yaml', 'text/plain'), 'not_acceptable');
  });

  it('is YAML also for a client that accepts the type of errors alone, as generated ones do', async () => {
    for (const path of ['/openapi.yaml', '/sample/openapi.yaml'])
      for (const accept of ['application/yaml', 'application/json'])
        assert.equal((await get(path, accept)).headers['content-type'], 'application/yaml', `${path} ${accept}`);
  });
});

describe('a client that polls the description', () => {
  for (const path of ['/openapi.json', '/openapi.yaml'])
    it(`gets 304 for ${path} until it differs, and less than a third of its bytes`, async () => {
      const plain = await request(service, { path });
      const { etag = '', vary } = plain.headers;
      assert.equal(vary, 'Accept-Encoding');
      const packed = await fetch(service.url + path);
      assert.equal(packed.headers.get('content-encoding'), 'gzip');
      assert.ok(Number(packed.headers.get('content-length')) < plain.body.length / 3);
      assert.equal(await packed.text(), plain.text);
      const ofPacked = packed.headers.get('etag') ?? '';
      const status = async (headers: Record<string, string>): Promise<number> =>
        (await request(service, { path, headers })).status;
      assert.equal(await status({ 'if-none-match': `"a", ${etag}` }), 304);
      assert.equal(await status({ 'if-none-match': ofPacked, 'accept-encoding': 'gzip' }), 304);
      assert.equal(await status({ 'if-none-match': ofPacked }), 200);
      assert.equal(await status({ 'if-match': '"a"' }), 412);
      assert.equal(await status({ 'if-match': etag }), 200);
      assert.equal(await status({ 'if-none-match': etag, host: 'other.example' }), 200);
    });

  it('gets its own address, whatever addresses others use', async () => {
    for (let turn = 0; turn < 2; turn += 1)
      for (let each = 0; each < 20; each += 1) {
        const { text } = await request(service, { path: '/openapi.yaml', headers: { host: `host${each}.example` } });
        assert.match(text, new RegExp(`\n  - url: "http://host${each}\\.example"\n`));
      }
  });
});

describe('health', () => {
  it('is a single word', async () => {
    assert.equal((await get('/livez')).text, '{"status":"live"}');
    assert.equal((await get('/readyz')).text, '{"status":"ready"}');
  });
});

describe('HEAD', () => {
  for (const { operationId, path, isPublic, method } of contract.operations.values()) {
    if (!isPublic || method !== 'GET') continue;
    it(`is answered like ${operationId}, without the body`, async () => {
      const full = await get(path);
      const head = await request(service, { method: 'HEAD', path, token: null });
      assert.deepEqual([head.status, head.body.length], [full.status, 0]);
      const { date: _, 'x-request-id': _id, ...fields } = full.headers;
      const { date: __, 'x-request-id': __id, ...headFields } = head.headers;
      assert.deepEqual(headFields, fields);
      assert.equal(head.headers['content-length'], String(full.body.length));
    });
  }

  it('has no body for errors either', async () => {
    const reply = await request(service, { method: 'HEAD', path: '/nothing', token: null });
    assert.deepEqual([reply.status, reply.body.length], [404, 0]);
  });
});
