/** Expect, and the size of a body: decided from the head, before the body is read. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { nextId } from '../support/plants.ts';
import { startService } from '../support/start-service.ts';
import { assertQuiet, type Case, testCases } from './assert-cases.ts';
import { chunk, create, createHead, head, host, json, live, plant, plantOfBytes } from './bytes.ts';
import { Connection } from './connection.ts';

const service = await startService({ after });
const chunked = 'Transfer-Encoding: chunked';
const waiting = 'Expect: 100-continue';
const bodyBytesMax = 65_536;

describe('Expect', () => {
  it('requests the body if the token is valid, and responds', async () => {
    const connection = await Connection.open(service);
    const body = plant(nextId());
    await connection.send(createHead(service, [waiting, `Content-Length: ${body.length}`]));
    assert.equal((await connection.answer())?.status, 100);
    await connection.send(body);
    assert.equal((await connection.answer())?.status, 200);
    await connection.send(live);
    assert.equal((await connection.answer('GET', '/livez'))?.status, 200);
    connection.leave();
  });

  const stranger = head('POST /plants HTTP/1.1', [
    ...[host, 'Authorization: Bearer bad', json],
    ...[waiting, 'Content-Length: 9'],
  ]);
  const nowhere = head('POST /nothing HTTP/1.1', [host, waiting, 'Content-Length: 9']);
  const refused = (
    [
      ['a bad token', stranger, 'token_invalid'],
      ['a bad token, and the body all the same', `${stranger}{"id":1}}`, 'token_invalid'],
      ['an unknown path', nowhere, 'path_unknown'],
      ['a body that is too long', createHead(service, [waiting, 'Content-Length: 65537']), 'body_too_large'],
      ...['a miracle', '100-continue, a-miracle'].map(
        (value) =>
          [value, createHead(service, [`Expect: ${value}`, 'Content-Length: 9']), 'expectation_unsupported'] as const,
      ),
    ] as const
  ).map(([name, bytes, expected]): Case => ({ name, bytes, expected, isLast: true }));
  const body = plant(nextId());
  // HTTP/1.0 has no 100: its client would take it for the response.
  const old: Case = {
    name: 'a client of HTTP/1.0, which gets no 100',
    bytes: createHead(service, [waiting, `Content-Length: ${body.length}`], body).replace('HTTP/1.1', 'HTTP/1.0'),
    expected: 200,
    isLast: true,
  };
  // Each case also asserts a single response without a 100 before it.
  testCases(service, [...refused, old]);
});

describe('the size of a body', () => {
  const sizes = [
    [bodyBytesMax, 200],
    [bodyBytesMax + 1, 'body_too_large'],
  ] as const;
  for (const [bytes, expected] of sizes) {
    const body = (): string => plantOfBytes(nextId(), bytes);
    const pieces = (count: number): string[] => {
      const text = body();
      const length = Math.ceil(text.length / count);
      return Array.from({ length: count }, (_each, index) => text.slice(index * length, (index + 1) * length));
    };
    const isLast = expected !== 200;
    testCases(service, [
      { name: `${bytes} bytes by length`, bytes: create(service, body()), expected, isLast },
      {
        name: `${bytes} bytes by length, in 64 packets`,
        bytes: [createHead(service, [`Content-Length: ${bytes}`]), ...pieces(64)],
        expected,
        isLast,
      },
      {
        name: `${bytes} bytes in one chunk`,
        bytes: createHead(service, [chunked], chunk(body()) + chunk()),
        expected,
        isLast,
      },
      {
        name: `${bytes} bytes in 64 chunks, each in a packet`,
        bytes: [createHead(service, [chunked]), ...pieces(64).map(chunk), chunk()],
        expected,
        isLast,
      },
    ]);
  }
});

after(() => assertQuiet(service));
