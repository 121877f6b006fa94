/** Paths and methods: exactly those of the description; all others get 404 or 405. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { assertError } from '../support/assert-reply.ts';
import { assertServes } from '../support/plants.ts';
import { contract } from '../support/read-contract.ts';
import { request, sendRaw } from '../support/request.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });

const paths = [...new Set([...contract.operations.values()].map(({ path }) => path.replaceAll(/\{\w+\}/g, '7')))];
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND', 'SEARCH'];

describe('a path of the description', () => {
  for (const path of paths) {
    const allowed = contract.findPath(path)?.methods ?? [];
    const wrong = methods.filter((method) => !allowed.includes(method));
    it(`${path} accepts ${allowed.join(', ')}, and refuses ${wrong.join(', ')} before checking the token`, async () => {
      for (const method of wrong) {
        const reply = await request(service, { method, path, token: null });
        // The number is in the body, which responses to HEAD do not have.
        if (method === 'HEAD') assert.equal(reply.status, 405);
        else assertError(reply, 'method_not_allowed', method);
        assert.equal(reply.headers['allow'], allowed.join(', '));
      }
      for (const method of allowed) {
        const { status } = await request(service, { method, path, token: null });
        assert.ok(status !== 404 && status !== 405, `${method} ${path} answered ${status}`);
      }
    });
  }
});

describe('a page', () => {
  for (const path of ['/docs', '/console']) {
    it(`${path} accepts reads, and refuses every other method`, async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const reply = await request(service, { method, path, token: null });
        assertError(reply, 'method_not_allowed', method);
        assert.equal(reply.headers['allow'], 'GET, HEAD');
      }
    });
  }
});

const unknown = [
  '/plants/',
  '//plants',
  '/Plants',
  '/PLANTS',
  '/plant',
  '/plantss',
  '/plants;v=1',
  '/plants%2F',
  '/plants%20',
  '/plants%00',
  '/%ff',
  '/%C3%A9',
  '/./plants',
  '/x/../plants',
  '/livez/',
  '/openapi.json/',
  '/openapi.yml',
  '/index.html',
  '/.env',
  '/.git/config',
  '/favicon.ico',
  '/*',
  `/${'x'.repeat(8_000)}`,
];

describe('any other path', () => {
  for (const path of unknown) {
    it(`${path.slice(0, 40)} is unknown for every method, and never redirected`, async () => {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
        const [reply] = await sendRaw(
          service,
          `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.token}\r\n\r\n`,
        );
        assertError(reply, 'path_unknown', method);
        assert.equal(reply?.headers['location'], undefined);
      }
    });
  }

  const malformed = ['/%', '/%zz', '/plants%', '/plants%f'];
  for (const path of malformed) {
    it(`${path} is malformed`, async () => {
      const [reply] = await sendRaw(service, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      assertError(reply, 'request_malformed');
    });
  }

  it('differs from another spelling of the same path (RFC 3986, section 6.2.2.2)', async () => {
    assertError(await request(service, { path: '/%70lants', body: '{}' }), 'plant_invalid');
  });

  it('may have a query, which no operation reads', async () => {
    assert.equal((await request(service, { path: '/livez?x=1&y=%zz' })).status, 200);
    assertError(await request(service, { path: '/plants?id=1&name=a', body: '{}' }), 'plant_invalid');
  });

  it('may be an absolute URL; * is not one of ours', async () => {
    const [absolute] = await sendRaw(service, 'GET http://plants.example/livez HTTP/1.1\r\nHost: a\r\n\r\n');
    assert.equal(absolute?.status, 200);
    // An empty path is "/" (RFC 9110, section 4.2.3).
    for (const target of ['http://plants.example', 'http://plants.example?x=1']) {
      const [root] = await sendRaw(service, `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
      assert.equal(root?.status, 200, target);
    }
    const [star] = await sendRaw(service, 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n');
    assertError(star, 'path_unknown');
    const [tunnel] = await sendRaw(service, 'CONNECT plants.example:443 HTTP/1.1\r\nHost: a\r\n\r\n');
    assertError(tunnel, 'path_unknown');
    await assertServes(service);
  });
});
