/** Expect, media types and sizes: decided from the head, before reading the body. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { assertError } from '../support/assert-reply.ts';
import { assertServes, nextId } from '../support/plants.ts';
import { readPlants } from '../support/store-under-test.ts';
import { sendRaw } from '../support/request.ts';
import { startService } from '../support/start-service.ts';
import { assertQuiet, type Case, testCases } from './assert-cases.ts';
import { bearer, chunk, create, createHead, head, host, json, live, plant, plantOfBytes } from './bytes.ts';
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

  const refused: readonly (Case & { readonly isLast: true })[] = [
    {
      name: 'a bad token',
      bytes: head('POST /plants HTTP/1.1', [host, 'Authorization: Bearer bad', json, waiting, 'Content-Length: 9']),
      expected: 'token_invalid',
      isLast: true,
    },
    {
      name: 'a bad token, and the body all the same',
      bytes: head(
        'POST /plants HTTP/1.1',
        [host, 'Authorization: Bearer bad', json, waiting, 'Content-Length: 9'],
        '{"id":1}}',
      ),
      expected: 'token_invalid',
      isLast: true,
    },
    {
      name: 'an unknown path',
      bytes: head('POST /nothing HTTP/1.1', [host, waiting, 'Content-Length: 9']),
      expected: 'path_unknown',
      isLast: true,
    },
    {
      name: 'a body that is too long',
      bytes: createHead(service, [waiting, 'Content-Length: 65537']),
      expected: 'body_too_large',
      isLast: true,
    },
    {
      name: 'another expectation',
      bytes: createHead(service, ['Expect: a miracle', 'Content-Length: 9']),
      expected: 'expectation_unsupported',
      isLast: true,
    },
    {
      name: 'two expectations',
      bytes: createHead(service, ['Expect: 100-continue, a-miracle', 'Content-Length: 9']),
      expected: 'expectation_unsupported',
      isLast: true,
    },
  ];
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

describe('the type of a body', () => {
  const typed = (...fields: string[]): string => {
    const body = plant(nextId());
    return head('POST /plants HTTP/1.1', [host, bearer(service), ...fields, `Content-Length: ${body.length}`], body);
  };
  const refusedTypes = [
    [],
    ['text/plain'],
    ['application/jsonx'],
    ['application/json; charset=utf-16'],
    ['application/json; charset=latin1'],
    [''],
    ['application/json', 'application/json'],
    ['application/json', 'text/plain'],
    ['application/json, text/plain'],
    ['multipart/form-data; boundary=x'],
  ];
  testCases(
    service,
    refusedTypes.map((types) => ({
      name: `Content-Type: ${types.join(' and ') || 'nothing'}`,
      bytes: typed(...types.map((type) => `Content-Type: ${type}`)),
      expected: 'media_type_unsupported',
      headers: { accept: 'application/json' },
    })),
  );
  const takenTypes = [
    'application/json',
    'APPLICATION/JSON',
    'application/json;charset=UTF-8',
    'application/json ; charset="utf-8"',
  ];
  testCases(
    service,
    takenTypes.map((type) => ({ name: `Content-Type: ${type}`, bytes: typed(`Content-Type: ${type}`), expected: 200 })),
  );

  const bomb = gzipSync(Buffer.alloc(10_000_000, ' '));
  const coded = (coding: string, body: Uint8Array): string[] => [
    `Content-Encoding: ${coding}`,
    `Content-Length: ${body.length}`,
  ];
  const codings = { gzip: gzipSync(plant(nextId())), 'a zip bomb': bomb };
  testCases(
    service,
    Object.entries(codings).map(([name, body]) => ({
      name,
      bytes: [createHead(service, coded('gzip', body)), body],
      expected: 'content_encoding_unsupported',
      headers: { 'accept-encoding': 'identity' },
    })),
  );
  testCases(service, [
    {
      name: 'Content-Encoding: identity',
      bytes: create(service, plant(nextId()), ['Content-Encoding: identity']),
      expected: 200,
    },
  ]);
});

describe('Accept', () => {
  const taken = [
    'application/json',
    '*/*',
    'application/*',
    ',',
    'APPLICATION/JSON',
    'text/html, application/json;q=0.1',
    'text/html;q=1.0, */*;q=0.01',
    'application/json;q=1;x=y',
    ' , ,application/json',
    '',
  ];
  const excluding = [
    'text/html',
    'application/xml',
    'application/json;q=0',
    'application/json;q=0, */*',
    'application/*;q=0, */*',
    '*/*;q=0',
    'nonsense',
    'application/json;q=nan',
  ];
  testCases(
    service,
    taken.map((value) => ({
      name: `Accept: ${value}`,
      bytes: create(service, plant(nextId()), [`Accept: ${value}`]),
      expected: 200,
    })),
  );
  for (const value of excluding) {
    it(`returns not_acceptable for Accept: ${value}, and writes nothing`, async () => {
      const id = nextId();
      const [reply] = await sendRaw(service, create(service, plant(id), [`Accept: ${value}`]));
      assertError(reply, 'not_acceptable');
      assert.ok(!readPlants(service.dataDir).has(id));
      await assertServes(service);
    });
  }
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
