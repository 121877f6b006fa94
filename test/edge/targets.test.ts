/** Methods, targets, versions and Host fields through a raw socket: what is routed, and what is refused before. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { nextId } from '../support/plants.ts';
import { sendRaw } from './connection.ts';
import { startService } from '../support/start-service.ts';
import { assertQuiet, type Case, testCases } from './assert-cases.ts';
import { create, head, host, live, plant } from './bytes.ts';

const service = await startService({ after });
const createAsked = { method: 'POST', path: '/plants' };
const liveAsked = { method: 'GET', path: '/livez' };

/** Returns a complete create with another target than `/plants`. */
function createAt(target: string): string {
  return create(service, plant(nextId())).replace('/plants', target);
}

describe('methods', () => {
  testCases(service, [
    {
      name: 'CONNECT of a path',
      bytes: head('CONNECT /livez HTTP/1.1', [host]),
      expected: 'method_not_allowed',
      headers: { allow: 'GET, HEAD' },
      isLast: true,
    },
    {
      name: 'CONNECT of an authority',
      bytes: head('CONNECT plants.test:80 HTTP/1.1', [host]),
      expected: 'path_unknown',
      isLast: true,
    },
    {
      name: 'CONNECT with bytes for the tunnel after it',
      bytes: head('CONNECT plants.test:80 HTTP/1.1', [host], 'x'.repeat(100_000)),
      expected: 'path_unknown',
      isLast: true,
    },
    {
      name: 'a method that HTTP does not know',
      bytes: head('BREW /plants HTTP/1.1', [host]),
      expected: 'method_unknown',
      isLast: true,
    },
    {
      name: 'a method in lower case',
      bytes: head('post /plants HTTP/1.1', [host]),
      expected: 'method_unknown',
      isLast: true,
    },
    {
      name: 'a method with a character that no method has',
      bytes: head('BR(W /plants HTTP/1.1', [host]),
      expected: 'request_malformed',
      isLast: true,
    },
  ]);
});

describe('targets', () => {
  testCases(service, [
    { name: 'an escaped letter', bytes: createAt('/%70lants'), asks: createAsked, expected: 200 },
    { name: 'a query', bytes: createAt('/plants?x=1'), expected: 200 },
    ...['http://plants.test', 'HTTPS://[::1]:1'].map((start): Case => {
      const bytes = createAt(`${start}/plants`);
      return { name: `the absolute form ${start}`, bytes, asks: createAsked, expected: 200 };
    }),
    ...['http://', 'http://:80', 'http://u@a', 'http://a:b', 'http://a:99999', 'http://a%zz', 'http://[:]'].map(
      (start): Case => {
        const bytes = createAt(`${start}/plants`);
        return {
          name: `the absolute form ${start}`,
          bytes,
          asks: createAsked,
          expected: 'request_malformed',
          isLast: true,
        };
      },
    ),
    { name: 'an escape that is no UTF-8', bytes: createAt('/%ff'), expected: 'path_unknown', isLast: true },
    { name: 'a raw #', bytes: createAt('/plants#x'), asks: createAsked, expected: 'request_malformed', isLast: true },
    { name: 'a raw # in the query', bytes: createAt('/plants?x=#'), expected: 'request_malformed', isLast: true },
    { name: 'an escape that is none', bytes: createAt('/%zz'), expected: 'request_malformed', isLast: true },
    { name: 'no slash in front', bytes: createAt('plants'), expected: 'request_malformed', isLast: true },
    { name: 'OPTIONS *', bytes: head('OPTIONS * HTTP/1.1', [host]), expected: 'path_unknown' },
    { name: 'GET *', bytes: head('GET * HTTP/1.1', [host]), expected: 'request_malformed', isLast: true },
    { name: 'an asterisk for the slash', bytes: createAt('*plants'), expected: 'request_malformed', isLast: true },
    {
      name: 'a target of 20 kB',
      bytes: head(`GET /${'a'.repeat(20_000)} HTTP/1.1`, [host]),
      expected: 'headers_too_large',
      isLast: true,
    },
    { name: 'a target of 10 kB', bytes: head(`GET /${'a'.repeat(10_000)} HTTP/1.1`, [host]), expected: 'path_unknown' },
  ]);
});

describe('versions', () => {
  testCases(
    service,
    ['HTTP/11', 'http/1.1', 'HTTPS/1.1', 'HTTP/1.x', 'HTTP/12.0', ''].map((version) => ({
      name: version === '' ? 'no version' : version,
      bytes: head(`GET /livez ${version}`, [host]),
      asks: liveAsked,
      expected: 'request_malformed',
      isLast: true,
    })),
  );
  testCases(
    service,
    ['HTTP/0.9', 'HTTP/1.2', 'HTTP/1.9', 'HTTP/2.0', 'HTTP/2.1', 'HTTP/3.0'].map((version) => ({
      name: version,
      bytes: head(`GET /livez ${version}`, [host]),
      asks: liveAsked,
      expected: 'version_unsupported',
      isLast: true,
    })),
  );
  testCases(service, [
    {
      name: 'the preface of HTTP/2 and a SETTINGS frame',
      bytes: ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', Buffer.from('000000040000000000', 'hex')],
      expected: 'version_unsupported',
      isLast: true,
    },
    { name: 'HTTP/1.0 without Host', bytes: head('GET /livez HTTP/1.0', []), expected: 200, isLast: true },
    { name: 'HTTP/1.0 that stays', bytes: head('GET /livez HTTP/1.0', ['Connection: keep-alive']), expected: 200 },
  ]);
});

describe('the Host field', () => {
  const wrong = ['a b', 'a/b', 'user@a', 'a:b', 'a:1:2', 'a:99999', 'ä', '[::1', '[:]', '%', 'a%zz', '<script>'];
  testCases(
    service,
    wrong.map((value) => ({
      name: `Host: ${value}`,
      bytes: head('GET /livez HTTP/1.1', [`Host: ${value}`]),
      expected: 'request_malformed',
      isLast: true,
    })),
  );
  testCases(service, [
    { name: 'none', bytes: head('GET /livez HTTP/1.1', []), expected: 'request_malformed', isLast: true },
    { name: 'two', bytes: head('GET /livez HTTP/1.1', [host, host]), expected: 'request_malformed', isLast: true },
    {
      name: 'two in HTTP/1.0',
      bytes: head('GET /livez HTTP/1.0', [host, host]),
      expected: 'request_malformed',
      isLast: true,
    },
    { name: 'an empty one', bytes: head('GET /livez HTTP/1.1', ['Host:']), expected: 200 },
    { name: 'an IPv6 address', bytes: head('GET /livez HTTP/1.1', ['Host: [::1]:3000']), expected: 200 },
  ]);
});

describe('several requests of one connection', () => {
  const newer = live.replace('1.1', '1.2');
  const cases: [name: string, parts: string[], statuses: number[]][] = [
    ['an unknown method after a request', [live + head('BREW /plants HTTP/1.1', [host])], [200, 501]],
    ['another version after a request', [live + newer + live], [200, 505]],
    [
      'another version after a body',
      [head('GET /livez HTTP/1.1', [host, 'Content-Length: 3'], 'XY,') + newer],
      [200, 505],
    ],
  ];
  for (const [name, parts, statuses] of cases) {
    it(`are answered with ${name}`, async () => {
      const replies = await sendRaw(service, parts, { requests: [liveAsked], answers: statuses.length });
      assert.deepEqual(
        replies.map(({ status }) => status),
        statuses,
      );
    });
  }
});

after(() => assertQuiet(service));
