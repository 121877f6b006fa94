/** Many requests on one connection before the first response: order, an error among them, and a stalled reader. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { assertError, assertPlant } from '../support/assert-reply.ts';
import { assertServes, nextId } from '../support/plants.ts';
import { readPlants } from '../support/store-under-test.ts';
import { startService } from '../support/start-service.ts';
import { assertQuiet } from './assert-cases.ts';
import { chunk, create, createHead, head, host, live, plant } from './bytes.ts';
import { Connection, sendRaw } from './connection.ts';

const service = await startService({ after });
const count = 100;
const chunked = 'Transfer-Encoding: chunked';

/** Creates with their position in the name. */
function makeCreates(): { readonly ids: readonly bigint[]; readonly requests: readonly string[] } {
  const ids = Array.from({ length: count }, nextId);
  return { ids, requests: ids.map((id, index) => create(service, plant(id, `n${index}`))) };
}

describe('more pipelined requests than may wait', () => {
  it('end their connection, and keep no other one waiting', async () => {
    const connection = await Connection.open(service);
    await connection.send(live.repeat(1_000));
    await connection.closed;
    assert.ok(connection.left.split('HTTP/1.1 200').length <= 201, 'not all were answered');
    await assertServes(service);
  });
});

describe('100 pipelined requests', () => {
  it('get their responses in order', async () => {
    const { requests } = makeCreates();
    const replies = await sendRaw(service, requests.join(''), {
      requests: requests.map(() => ({ method: 'POST', path: '/plants' })),
    });
    replies.forEach((reply, index) => assertPlant(reply, { name: `n${index}` }));
    assert.equal(replies.length, count);
  });

  it('get their responses in order when quick and slow ones alternate', async () => {
    const requests = makeCreates().requests.map((each, index) =>
      index % 2 === 0 ? each : head('GET /nothing HTTP/1.1', [host]),
    );
    const asked = requests.map((_each, index) =>
      index % 2 === 0 ? { method: 'POST', path: '/plants' } : { method: 'GET', path: '/nothing' },
    );
    const replies = await sendRaw(service, requests.join(''), { requests: asked });
    replies.forEach((reply, index) =>
      index % 2 === 0 ? assertPlant(reply, { name: `n${index}` }) : assertError(reply, 'path_unknown'),
    );
  });

  const invalidRequests = {
    'a head that is malformed': 'BAD\r\n\r\n',
    'a Host that is missing': head('POST /plants HTTP/1.1', []),
    'a chunk that is malformed': createHead(service, [chunked], 'zz\r\n'),
    'a chunk that is malformed after a good one': createHead(service, [chunked], `${chunk('{')}zz\r\n`),
  };
  for (const [name, invalid] of Object.entries(invalidRequests)) {
    it(`get responses up to ${name}, the last one`, async () => {
      const { ids, requests } = makeCreates();
      const middle = count / 2;
      const bytes = [...requests.slice(0, middle), invalid, ...requests.slice(middle)].join('');
      const replies = await sendRaw(service, bytes, {
        requests: [{ method: 'POST', path: '/plants' }],
        answers: Infinity,
      });
      assert.equal(replies.length, middle + 1);
      replies.slice(0, middle).forEach((reply, index) => assertPlant(reply, { name: `n${index}` }));
      assertError(replies[middle], 'request_malformed');
      const stored = await readPlants(service.dataDir);
      assert.deepEqual(
        ids.map((id) => stored.has(id)),
        ids.map((_id, index) => index < middle),
      );
      await assertServes(service);
    });
  }

  it('get responses up to one that closes the connection', async () => {
    const { ids, requests } = makeCreates();
    const last = create(service, plant(ids[2] ?? 0n, 'n2'), ['Connection: close']);
    const bytes = [...requests.slice(0, 2), last, ...requests.slice(3)].join('');
    const replies = await sendRaw(service, bytes, {
      requests: [{ method: 'POST', path: '/plants' }],
      answers: Infinity,
    });
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.ok(!(await readPlants(service.dataDir)).has(ids[3] ?? 0n));
  });

  it('get responses up to a CONNECT after them', async () => {
    const { requests } = makeCreates();
    const asked = [
      ...requests.map(() => ({ method: 'POST', path: '/plants' })),
      { method: 'CONNECT', path: '/plants' },
    ];
    const bytes = requests.join('') + head('CONNECT /plants HTTP/1.1', [host]);
    const replies = await sendRaw(service, bytes, { requests: asked, answers: Infinity });
    assert.equal(replies.length, count + 1);
    assertError(replies[count], 'method_not_allowed');
  });

  it('get responses after the client has closed its sending side', async () => {
    const { requests } = makeCreates();
    const replies = await sendRaw(service, requests.join(''), {
      requests: [{ method: 'POST', path: '/plants' }],
      answers: Infinity,
      halfClose: true,
    });
    assert.deepEqual(
      replies.map(({ status }) => status),
      requests.map(() => 200),
    );
  });
});

describe('a stalled reader', () => {
  it('gets all responses later; slow-readers.deep.test.ts measures memory', async () => {
    const connection = await Connection.open(service);
    connection.stall();
    await connection.send(head('GET /openapi.json HTTP/1.1', [host]).repeat(count) + live);
    await assertServes(service);
    connection.resume();
    for (let index = 0; index < count; index++)
      assert.equal((await connection.answer('GET', '/openapi.json'))?.status, 200);
    assert.equal((await connection.answer('GET', '/livez'))?.text, '{"status":"live"}');
    connection.leave();
  });
});

after(() => assertQuiet(service));
