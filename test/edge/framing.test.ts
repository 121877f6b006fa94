/** Framing and header fields: ambiguous messages are refused, and the connection closes. */
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, describe, it } from 'node:test';
import { assertError } from '../support/assert-reply.ts';
import { nextId } from '../support/plants.ts';
import { startService } from '../support/start-service.ts';
import { assertQuiet, type Case, testCases } from './assert-cases.ts';
import { chunk, create, createHead, head, host, live, plant } from './bytes.ts';
import { Connection, sendRaw, exchange } from './connection.ts';

const service = await startService({ after });
const chunked = 'Transfer-Encoding: chunked';
const liveAsked = { method: 'GET', path: '/livez' };
const unknownAsked = { method: 'GET', path: '/nothing' };

function refusedCreate(name: string, fields: readonly string[], rest: string): Case {
  return { name, bytes: createHead(service, fields, rest), expected: 'request_malformed', isLast: true };
}

function refusedHead(name: string, bytes: string): Case {
  return { name, bytes, asks: liveAsked, expected: 'request_malformed', isLast: true };
}

describe('the length of a body', () => {
  const body = plant(nextId());
  const length = Buffer.byteLength(body);
  testCases(service, [
    ...['-3', '+3', '3 3', '0x3', '3.0', 'three', '9'.repeat(30), ''].map((value) =>
      refusedCreate(`Content-Length: ${value}`, [`Content-Length: ${value}`], body),
    ),
    refusedCreate('two different lengths', [`Content-Length: ${length}`, 'Content-Length: 3'], body),
    refusedCreate('the same length twice', [`Content-Length: ${length}`, `Content-Length: ${length}`], body),
    refusedCreate('two lengths in one field', [`Content-Length: ${length}, ${length}`], body),
    refusedCreate('a length and chunks', [`Content-Length: ${length}`, chunked], chunk(body) + chunk()),
    refusedCreate('chunks and a length', [chunked, `Content-Length: ${length}`], chunk(body) + chunk()),
    ...['gzip', 'gzip, chunked', 'chunked, gzip', 'chunked, chunked', 'identity', 'xchunked', '"chunked"'].map(
      (value) => refusedCreate(`Transfer-Encoding: ${value}`, [`Transfer-Encoding: ${value}`], chunk(body) + chunk()),
    ),
    {
      ...refusedCreate('chunks in HTTP/1.0', [], ''),
      bytes: createHead(service, [chunked], chunk(body) + chunk()).replace('HTTP/1.1', 'HTTP/1.0'),
    },
    { name: 'a body that is announced and left out', bytes: createHead(service, []), expected: 'body_missing' },
    { name: 'a length of 0', bytes: createHead(service, ['Content-Length: 0']), expected: 'body_missing' },
    { name: 'no byte in chunks', bytes: createHead(service, [chunked], chunk()), expected: 'body_missing' },
    {
      name: 'a body where none belongs',
      bytes: head('GET /livez HTTP/1.1', [host, 'Content-Length: 3'], 'abc'),
      expected: 200,
    },
  ]);
});

describe('chunks', () => {
  const fresh = (): string => plant(nextId());
  testCases(service, [
    { name: 'a body in one chunk', bytes: createHead(service, [chunked], chunk(fresh()) + chunk()), expected: 200 },
    {
      name: 'a body in chunks of one byte, each in a packet, with a character of four bytes',
      bytes: [
        createHead(service, [chunked]),
        ...[...Buffer.from(plant(nextId(), '🌱'))].map((byte) => Buffer.from([0x31, 13, 10, byte, 13, 10])),
        chunk(),
      ],
      expected: 200,
    },
    {
      name: 'Chunked in capitals',
      bytes: createHead(service, ['Transfer-Encoding: CHUNKED'], chunk(fresh()) + chunk()),
      expected: 200,
    },
    {
      name: 'trailers',
      bytes: createHead(service, [chunked], `${chunk(fresh())}0\r\nX-Checksum: 1\r\nAuthorization: Bearer bad\r\n\r\n`),
      expected: 200,
    },
    {
      name: 'a short chunk extension',
      bytes: createHead(service, [chunked], chunk(fresh()).replace('\r\n', ';a=b\r\n') + chunk()),
      expected: 200,
    },
    {
      name: 'a chunk extension of 1 MB',
      bytes: createHead(service, [chunked], `5;${'a'.repeat(1_000_000)}\r\nabcde\r\n${chunk()}`),
      expected: 'body_too_large',
      isLast: true,
    },
    refusedCreate('trailers that break the framing', [chunked], `${chunk(fresh())}0\r\nContent-Length: 5\r\n\r\n`),
    refusedCreate('a size that is no number', [chunked], 'zz\r\n'),
    refusedCreate('a size beyond 64 bits', [chunked], `${'f'.repeat(17)}\r\n`),
    refusedCreate('a negative size', [chunked], '-5\r\nabcde\r\n'),
    refusedCreate('a chunk longer than its size', [chunked], '5\r\nabcdefgh\r\n'),
    refusedCreate('chunks with bare line feeds', [chunked], '1\n1\n0\n\n'),
  ]);
});

describe('header fields', () => {
  const filler = (bytes: number): string => `X-Filler: ${'a'.repeat(bytes)}`;
  /** What counts is the target, and the names and values of the fields. */
  const filled = (bytes: number): string =>
    head('GET /livez HTTP/1.1', [host, filler(bytes - '/livezHostplants.testX-Filler'.length)]);
  const fields = (count: number): string[] => [host, ...Array.from({ length: count - 1 }, (_each, n) => `X-${n}: b`)];
  testCases(service, [
    refusedHead('a folded line', 'GET /livez HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n\r\n'),
    refusedHead('a space before the colon', 'GET /livez HTTP/1.1\r\nHost : a\r\n\r\n'),
    refusedHead('bare line feeds', 'GET /livez HTTP/1.1\nHost: a\n\n'),
    refusedHead('one bare line feed', 'GET /livez HTTP/1.1\r\nHost: a\nX-A: b\r\n\r\n'),
    refusedHead('a bare carriage return', 'GET /livez HTTP/1.1\r\nHost: a\rX-A: b\r\n\r\n'),
    refusedHead('a NUL in a value', 'GET /livez HTTP/1.1\r\nHost: a\r\nX-A: b\0c\r\n\r\n'),
    refusedHead('a field without a name', 'GET /livez HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n'),
    refusedHead('a field without a colon', 'GET /livez HTTP/1.1\r\nHost: a\r\nfoo\r\n\r\n'),
    refusedHead('a space before the first field', 'GET /livez HTTP/1.1\r\n Host: a\r\n\r\n'),
    { name: 'empty lines in front', bytes: `\r\n\r\n${live}`, asks: liveAsked, expected: 200 },
    { name: 'almost 16 KiB of fields', bytes: filled(16_383), expected: 200 },
    { name: '16 KiB of fields', bytes: filled(16_384), expected: 'headers_too_large', isLast: true },
    {
      name: '1 MB of fields',
      bytes: head('GET /livez HTTP/1.1', [host, filler(1_000_000)]),
      expected: 'headers_too_large',
      isLast: true,
    },
    { name: '100 fields', bytes: head('GET /livez HTTP/1.1', fields(100)), expected: 200 },
    {
      name: '101 fields',
      bytes: head('GET /livez HTTP/1.1', fields(101)),
      expected: 'headers_too_large',
      isLast: true,
    },
    {
      name: '2,000 fields',
      bytes: head('GET /livez HTTP/1.1', fields(2000)),
      expected: 'headers_too_large',
      isLast: true,
    },
  ]);

  it('are refused without content if the method is HEAD', async () => {
    const refused = head('HEAD /livez HTTP/1.1', [host, filler(17_000)]);
    const bytes = await exchange(service, `${live}${refused}`);
    assert.match(bytes.toString(), /HTTP\/1\.1 431 [^{]+\r\n\r\n$/);
  });
});

describe('other protocols', () => {
  const hello = '16030100c8010000c40303';
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket'];
  const h2c = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAAAAIAAAAB'];
  testCases(service, [
    {
      name: 'the first bytes of TLS',
      bytes: Buffer.from(hello, 'hex'),
      asks: unknownAsked,
      expected: 'request_malformed',
      isLast: true,
    },
    { name: 'SSH', bytes: 'SSH-2.0-OpenSSH_9.9\r\n', asks: unknownAsked, expected: 'request_malformed', isLast: true },
    {
      name: 'binary noise',
      bytes: '\0\u0001\u0002\r\n\r\n',
      asks: unknownAsked,
      expected: 'request_malformed',
      isLast: true,
    },
    {
      name: 'a wish for WebSocket, which is passed over',
      bytes: head('GET /livez HTTP/1.1', [host, ...upgrade, 'Sec-WebSocket-Key: eA==']),
      expected: 200,
    },
    {
      name: 'the fields that Java sends, with chunks',
      bytes: createHead(service, [...h2c, chunked], chunk(plant(nextId())) + chunk()),
      expected: 200,
    },
    {
      name: 'an upgrade with a chunk that is malformed',
      bytes: createHead(service, [...h2c, chunked], 'zz\r\n'),
      expected: 'request_malformed',
      isLast: true,
    },
    {
      name: 'an upgrade with a malformed chunk after a good one',
      bytes: [createHead(service, [...h2c, chunked], chunk('{')), 'zz\r\n'],
      expected: 'request_malformed',
      isLast: true,
    },
    {
      name: 'an upgrade with a long field',
      bytes: createHead(service, [...h2c, `X-A: ${'a'.repeat(17_000)}`]),
      expected: 'headers_too_large',
      isLast: true,
    },
  ]);

  it('end with a client that leaves in the middle of an upgrade with a body', async () => {
    for (const fields of [['Content-Length: 9'], [chunked]]) {
      const connection = await Connection.open(service);
      await connection.send(createHead(service, [...h2c, ...fields], fields[0] === chunked ? '9\r\n{' : '{'));
      connection.halfClose();
      assertError(await connection.answer(), 'request_malformed');
      await connection.closed;
    }
  });

  it('may be asked for by many requests of one connection, also pipelined ones', async () => {
    const count = 40;
    const bytes = Array.from({ length: count }, () => create(service, plant(nextId()), h2c)).join('');
    const replies = await sendRaw(service, bytes, {
      requests: Array.from({ length: count }, () => ({ method: 'POST', path: '/plants' })),
    });
    assert.deepEqual(
      replies.map(({ status }) => status),
      Array.from({ length: count }, () => 200),
    );
  });
});

after(() => assertQuiet(service));
