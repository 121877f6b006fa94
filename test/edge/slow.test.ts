/**
 * Slow and silent clients: a documented time-out closes each, with a response if a request had
 * started. slow-readers.deep.test.ts tests memory.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { assertError } from '../support/assert-reply.ts';
import { assertServes, nextId } from '../support/plants.ts';
import { startProcess } from '../support/start-process.ts';
import { assertQuiet } from './assert-cases.ts';
import { bearer, chunk, create, createHead, head, host, live, plant } from './bytes.ts';
import { Connection } from './connection.ts';
import { until } from '../support/until.ts';

// As by default, idle connections have the longest time-out: a part of a request must get its
// response before.
const env = {
  PLANT_STORE_HEADERS_TIMEOUT: '1s',
  PLANT_STORE_REQUEST_TIMEOUT: '2s',
  PLANT_STORE_KEEP_ALIVE_TIMEOUT: '4s',
};
const service = await startProcess({ after }, { env });
/** Serves one connection only, so that its sockets can be counted. */
const quiet = await startProcess({ after }, { env });
/** Much longer than the time-outs above plus the service's check interval of one second. */
const generousMs = 120_000;

/** Resolves once the service has closed the connection; otherwise fails. */
async function assertCloses(connection: Connection): Promise<void> {
  const late = delay(generousMs, 'late' as const, { ref: false });
  assert.notEqual(await Promise.race([connection.closed, late]), 'late', 'the connection is still open');
}

async function assertCut(connection: Connection): Promise<void> {
  assertError(await connection.answer(), 'request_timeout');
  await assertCloses(connection);
  assert.equal(connection.left, '');
  await assertServes(service);
}

/** Opens a connection and reads the answers before the time-out. On a busy machine, a request itself may come too late: again then. */
async function begin(
  bytes: string,
  answers: readonly (readonly [path: string, status: number, error?: ErrorCode])[],
): Promise<Connection> {
  const connection = await Connection.open(service);
  await connection.send(bytes);
  for (const [path, status, error] of answers) {
    const answer = await connection.answer(path === '/livez' ? 'GET' : 'POST', path);
    if (answer?.status === 408) return begin(bytes, answers);
    assert.equal(answer?.status, status);
    if (error !== undefined) assertError(answer, error);
  }
  return connection;
}

/** Sends byte after byte until the connection closes. */
async function trickle(connection: Connection, bytes: string): Promise<void> {
  for (const byte of bytes) {
    if (!(await connection.send(byte))) return;
    await delay(50);
  }
  assert.fail('every byte was taken');
}

describe('time-outs', { concurrency: true }, () => {
  const row = plant(nextId());
  const ofImport = [host, bearer(service), 'Content-Type: application/x-ndjson', `Content-Length: ${row.length}`];
  const stopped = createHead(service, ['Content-Length: 100'], '{');
  /** What is sent at once, what byte after byte, and the answers before the time-out. */
  const cases: readonly (readonly [
    name: string,
    bytes: string,
    slow?: string,
    answers?: [path: string, status: number][],
  ])[] = [
    ['a head that stops', 'POST /plants HTTP/1.1\r\nHo'],
    ['a head that trickles', '', head('POST /plants HTTP/1.1', [host, `X-A: ${'a'.repeat(1000)}`])],
    ['a body that stops', stopped],
    ['a body that trickles', createHead(service, ['Content-Length: 1000']), ' '.repeat(1000)],
    ['chunks that trickle', createHead(service, ['Transfer-Encoding: chunked']), chunk(' ').repeat(1000)],
    [
      'a client that received 100 and sends nothing',
      createHead(service, ['Content-Length: 100', 'Expect: 100-continue']),
      '',
      [['/plants', 100]],
    ],
    [
      'a partial request after a complete one, which gets its response',
      `${create(service, plant(nextId()))}POST /pl`,
      '',
      [['/plants', 200]],
    ],
    [
      'a body that stops, on a connection that has sent an import before',
      head('POST /plants/import HTTP/1.1', ofImport, row) + stopped,
      '',
      [['/plants/import', 200]],
    ],
  ];
  for (const [name, bytes, slow = '', answers = []] of cases)
    it(`end ${name}`, async () => {
      const connection = await begin(bytes, answers);
      const trickled = slow === '' ? undefined : trickle(connection, slow);
      await assertCut(connection);
      await trickled;
    });

  it('end a connection that never sends anything', async () => {
    await assertCloses(await Connection.open(service));
  });

  it('end a request whose body stops after its response, without a second one', async () => {
    const connection = await begin(head('POST /plants HTTP/1.1', [host, 'Content-Length: 100'], '{'), [
      ['/plants', 401, 'token_missing'],
    ]);
    await assertCloses(connection);
    assert.equal(connection.left, '');
  });

  it('close an idle connection, without a response', async () => {
    const connection = await begin(live, [['/livez', 200]]);
    await assertCloses(connection);
    assert.equal(connection.left, '');
  });

  const skip = existsSync('/proc/self/fd') ? false : 'this system has no /proc to count sockets in';
  it('end a stalled reader', { skip }, async () => {
    const countFiles = (): number => readdirSync(`/proc/${quiet.pid}/fd`).length;
    const others = countFiles();
    const connection = await Connection.open(quiet);
    connection.stall();
    const answers = 400;
    await connection.send(head('GET /openapi.json HTTP/1.1', [host]).repeat(answers));
    // The stalled side cannot see the close, but the service has one descriptor less.
    await until(() => countFiles() > others, 'the connection is open');
    await until(() => countFiles() <= others, 'the connection is closed');
    connection.resume();
    await assertCloses(connection);
    let seen = 0;
    for (; (await connection.answer('GET', '/openapi.json').catch(() => undefined)) !== undefined; seen++);
    assert.ok(seen < answers, 'every answer was sent to a client that did not read');
  });
});

after(() => assertQuiet(service));
