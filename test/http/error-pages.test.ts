/** Errors as pages: who gets one, and that it is the same error. Programs get JSON, as every other test checks. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });
const nested = await startService({ after }, { env: { PLANT_STORE_BASE_PATH: '/shop/plants' } });
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const id = 'a.request-7';

const open = (path: string, options: Parameters<typeof request>[1] = {}) =>
  request(service, {
    path,
    token: null,
    ...options,
    headers: { accept: browser, 'x-request-id': id, ...options.headers },
  });

describe('an error in a browser', () => {
  for (const [path, number] of [
    ['/nothing', 40401],
    ['/console/nothing', 40401],
    ['/plants/7', 40101],
    ['/plants?access_token=x', 40002],
    ['/%zz', 40001],
  ] as const)
    it(`${path} is a page with the status and the fields of ${number}`, async () => {
      const [page, plain] = [await open(path), await open(path, { headers: { accept: '*/*' } })];
      assert.equal(plain.number, number);
      const fields = ['content-type', 'content-length', 'content-security-policy', 'date'];
      const others = ({ status, headers }: typeof page) => [
        status,
        Object.entries(headers).filter(([name]) => !fields.includes(name)),
      ];
      assert.deepEqual(others(page), others(plain));
      assert.match(page.headers['content-type'] ?? '', /^text\/html/);
      for (const text of [`Status ${page.status} `, `Error ${number}`, `Request <code>${id}</code>`])
        assert.ok(page.text.includes(text), text);
      assert.doesNotMatch(page.text, /<script|<style|\bon\w+=|https?:/);
    });

  it('says once that the path is unknown', async () => {
    const { text } = await open('/nothing');
    assert.match(text, /<p class="error">Nothing found at this path\. Paths are case-sensitive/);
  });

  it('has links that work, wherever it is, and does not repeat the address', async () => {
    for (const [target, path] of [
      [service, '/nothing'],
      [service, '/a//<script>/c/?x=<b>'],
      [service, `/${'a/'.repeat(2_000)}`],
      [nested, '/shop/plants/nothing/'],
      [nested, '/shop'],
      [nested, '/shop/plants'],
    ] as const) {
      const headers = { accept: browser };
      const { status, text, resolve } = await request({ ...target, basePath: '' }, { path, token: null, headers });
      assert.equal(status, 404);
      assert.doesNotMatch(text, /<script|<b>/);
      assert.ok(text.length < 4_000);
      const links = [...text.matchAll(/href="([^"#]+)/g)].map(([, link = '']) => resolve(link));
      assert.equal(links.length, 6);
      for (const link of links) {
        assert.ok(link.startsWith(target.basePath));
        assert.equal(
          (await request(target, { path: link.slice(target.basePath.length), token: null })).status,
          200,
          link,
        );
      }
    }
  });

  it('leads to what its address is about in the console', async () => {
    for (const [path, query] of [
      ['/plants/-7', '?plant=-7'],
      ['/plants/9007199254740993/history?limit=5', '?plant=9007199254740993'],
      ['/tags?x=/plants/7', '?view=tags'],
      ['/webhooks/msg_7', '?view=webhooks'],
      ['/plants/"><b>', ''],
    ] as const) {
      const { text, resolve } = await open(path);
      const [, link = ''] = /href="([^"]*console[^"]*)"/.exec(text) ?? [];
      assert.equal(resolve(link), `/console${query}`);
    }
  });

  it('has no body for HEAD', async () => {
    const { headers, body } = await open('/nothing', { method: 'HEAD' });
    assert.match(headers['content-type'] ?? '', /^text\/html/);
    assert.equal(body.length, 0);
  });
});

describe('an error for a program', () => {
  it('is JSON: with a token, another method, or an Accept that does not prefer HTML', async () => {
    const programs: Parameters<typeof request>[1][] = [
      { token: 'unknown' },
      { method: 'DELETE' },
      { headers: { accept: undefined } },
      ...['', '*/*', 'application/json', 'text/html, application/json', 'text/html;q=0, */*', 'text/plain'].map(
        (accept) => ({ headers: { accept } }),
      ),
    ];
    for (const options of programs) assert.ok((await open('/plants/7', options)).number, JSON.stringify(options));
  });
});
