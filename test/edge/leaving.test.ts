/** Clients that disconnect early, or keep sending after a refusal, cost the service little. */
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, describe, it } from 'node:test';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { assertError } from '../support/assert-reply.ts';
import { assertServes, nextId } from '../support/plants.ts';
import { readPlants } from '../support/store-under-test.ts';
import { request } from '../support/request.ts';
import { startService } from '../support/start-service.ts';
import { assertQuiet } from './assert-cases.ts';
import { bearer, create, createHead, head, host, json, live, plant } from './bytes.ts';
import { Connection, sendRaw } from './connection.ts';
import { until } from '../support/until.ts';

const service = await startService({ after });
const chunked = 'Transfer-Encoding: chunked';
const endless = 'Content-Length: 1000000000000';

describe('a client that disconnects', () => {
  const ways = { 'by closing': 'leave', 'by a reset': 'reset', 'by closing its side': 'halfClose' } as const;
  for (const [name, way] of Object.entries(ways)) {
    it(`in the middle of its body, ${name}, has stored nothing`, async () => {
      const id = nextId();
      const body = plant(id);
      for (const fields of [[`Content-Length: ${body.length + 1}`], [chunked]]) {
        const connection = await Connection.open(service);
        await connection.send(createHead(service, fields, fields[0] === chunked ? `ff\r\n${body}` : body));
        connection[way]();
        // A client that closed only its sending side can still read the error.
        if (way === 'halfClose') assertError(await connection.answer(), 'request_malformed');
        await connection.closed;
      }
      await assertServes(service);
      assert.ok(!(await readPlants(service.dataDir)).has(id));
    });

    it(`in the middle of its head, ${name}, does no harm`, async () => {
      const connection = await Connection.open(service);
      await connection.send('POST /plants HTTP/1.1\r\nHo');
      connection[way]();
      await connection.closed;
      await assertServes(service);
    });
  }

  it('before its response does no harm, 50 times', async () => {
    for (let round = 0; round < 50; round++) {
      const connection = await Connection.open(service);
      await connection.send(create(service, plant(nextId())).repeat(round % 2 === 0 ? 1 : 20));
      if (round % 3 === 0) connection.leave();
      else connection.reset();
      await connection.closed;
    }
    await assertServes(service);
  });

  it('right after a CONNECT does no harm', async () => {
    for (let round = 0; round < 20; round++) {
      const connection = await Connection.open(service);
      await connection.send(create(service, plant(nextId())) + head('CONNECT a:1 HTTP/1.1', [host]));
      connection.reset();
      await connection.closed;
    }
    await assertServes(service);
  });

  it('only on its sending side gets its response', async () => {
    const replies = await sendRaw(service, create(service, plant(nextId())), { answers: Infinity, halfClose: true });
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200],
    );
  });
});

describe('a follower that may have gone, since it has closed its sending side', () => {
  const follow = (query: string, accept: string): string =>
    head(`GET /plants/changes?after=now${query} HTTP/1.1`, [host, bearer(service), `Accept: ${accept}`]);

  it('gets the empty page of its long poll at once', async () => {
    const [reply] = await sendRaw(service, follow('&wait=60', '*/*'), {
      requests: [{ method: 'GET', path: '/plants/changes' }],
      answers: Infinity,
      halfClose: true,
    });
    assert.equal(reply?.text, '[]');
  });

  it('gets the position of its stream at once and soon again, and goes on reading', async () => {
    const connection = await Connection.open(service);
    await connection.send(follow('', 'text/event-stream'));
    connection.halfClose();
    await until(() => connection.left.split('\nid: ').length >= 3, 'it has the position twice');
    await request(service, { body: plant(nextId(), 'late') });
    await until(() => connection.left.includes('late'), 'it has the change');
    connection.leave();
  });
});

describe('a client that keeps sending after a refusal', { concurrency: true }, () => {
  const stranger = [host, 'Authorization: Bearer bad', json];
  const typed = [host, bearer(service), 'Content-Type: text/plain'];
  const cases: readonly (readonly [name: string, expected: ErrorCode, head: string])[] = [
    ['a bad token, by length', 'token_invalid', head('POST /plants HTTP/1.1', [...stranger, endless])],
    [
      'a bad token, in a chunk',
      'token_invalid',
      head('POST /plants HTTP/1.1', [...stranger, chunked], 'fffffffff\r\n'),
    ],
    ['a wrong type', 'media_type_unsupported', head('POST /plants HTTP/1.1', [...typed, endless])],
    ['a length that is too long', 'body_too_large', createHead(service, [endless])],
    ['a chunk that is too long', 'body_too_large', createHead(service, [chunked], 'fffffffff\r\n')],
    ['an unknown path', 'path_unknown', head('PUT /nothing HTTP/1.1', [host, endless])],
    ['a wrong method', 'method_not_allowed', head('PUT /livez HTTP/1.1', [host, chunked], 'fffffffff\r\n')],
    [
      'an expectation it did not wait for',
      'token_invalid',
      head('POST /plants HTTP/1.1', [...stranger, endless, 'Expect: 100-continue']),
    ],
    ['no Host', 'request_malformed', head('POST /plants HTTP/1.1', [endless])],
    ['a malformed head', 'request_malformed', 'BAD\r\n\r\n'],
    ['a header section without an end', 'headers_too_large', 'GET /livez HTTP/1.1\r\nX-A: '],
    ['a chunk extension without an end', 'body_too_large', createHead(service, [chunked], '5;')],
    ['a tunnel', 'path_unknown', head('CONNECT a:1 HTTP/1.1', [host])],
  ];
  /** Bytes that the service reads, plus the buffers of both sides. */
  const bytesMax = 32 * 1024 * 1024;
  const block = Buffer.alloc(64 * 1024, 'a');

  for (const [name, expected, bytes] of cases) {
    it(`(${name}) reads its response, and is disconnected soon`, async () => {
      const connection = await Connection.open(service, true);
      await connection.send(bytes);
      while (connection.bytesSent < bytesMax && (await connection.send(block)));
      assert.ok(connection.bytesSent < bytesMax, 'the service goes on reading');
      const [method = '', path = ''] = bytes.split(' ');
      const reply = await connection.answer(method, path);
      assertError(reply, expected);
      assert.equal(reply?.headers['connection'], 'close');
      await connection.closed;
      assert.equal(connection.left, '');
      await assertServes(service);
    });
  }

  it('reads its response with an ordinary client library', async () => {
    for (const size of [70_000, 1_000_000, 20_000_000]) {
      assertError(await request(service, { body: 'x'.repeat(size) }), 'body_too_large', String(size));
      assertError(await request(service, { body: 'x'.repeat(size), token: 'bad' }), 'token_invalid', String(size));
    }
  });

  it('can reuse its connection if the body is short', async () => {
    for (const length of [10, 65_536]) {
      const refused = head('POST /plants HTTP/1.1', [...stranger, `Content-Length: ${length}`], 'x'.repeat(length));
      const asked = { method: 'POST', path: '/plants' };
      const replies = await sendRaw(service, [refused, refused, live], {
        requests: [asked, asked, { method: 'GET', path: '/livez' }],
      });
      assert.deepEqual(
        replies.map(({ status }) => status),
        [401, 401, 200],
      );
    }
  });
});

after(() => assertQuiet(service));
