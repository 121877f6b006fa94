/**
 * Paths and methods: exactly those of the description; all others get 404 or 405.
 * test/edge/targets.test.ts tests targets that are no paths.
 */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { assertError } from '../support/assert-reply.ts';
import { contract } from '../support/read-contract.ts';
import { request } from '../support/request.ts';
import { sendRaw } from '../edge/connection.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });

const paths = [...new Set([...contract.operations.values()].map(({ path }) => path.replaceAll(/\{\w+\}/g, '7')))];
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND', 'SEARCH'];

describe('a path of the description', () => {
  for (const path of paths) {
    const allowed = contract.paths.find(path)?.methods ?? [];
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
  ...['/plants/', '//plants', '/Plants', '/PLANTS', '/plant', '/plantss', '/plants;v=1', '/plants%2F', '/plants%20'],
  ...['/plants%00', '/%ff', '/%C3%A9', '/./plants', '/x/../plants', '/livez/', '/livez;v=1', '/openapi.json/'],
  ...['/openapi.yml', '/index.html', '/.env', '/.git/config', '/favicon.ico', '/*', '/'.repeat(9)],
  ...['/plants/7/8', '/plants//7', `/${'x'.repeat(8_000)}`],
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

  for (const [path, isNamed] of [
    ['/plants/', true],
    ['/plants/7/', true],
    ['/plants//', false],
    ['/nothing/', false],
  ] as const)
    it(`${path} is ${isNamed ? '' : 'not '}told to omit its slash`, async () => {
      const reply = await request(service, { path });
      assert.equal(reply.text.includes('Omit the slash at its end'), isNamed, reply.text);
    });

  it('is not the root, which an absolute URL without a path is (RFC 9110, section 4.2.3)', async () => {
    for (const target of ['http://plants.example', 'http://plants.example?x=1']) {
      const [root] = await sendRaw(service, `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
      assert.equal(root?.status, 200, target);
    }
  });
});
