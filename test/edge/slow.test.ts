/** Slow and silent clients: each is cut by a stated time-out, and one that had begun to ask is told so. Memory is pipelining.test.ts's matter. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { assertError } from '../support/assert-reply.ts';
import { assertServes, nextId } from '../support/plants.ts';
import { startService } from '../support/start-service.ts';
import { assertQuiet } from './assert-cases.ts';
import { chunk, create, createHead, head, host, live, plant } from './bytes.ts';
import { Connection } from './connection.ts';

const env = {
  PLANT_STORE_HEADERS_TIMEOUT: '300ms',
  PLANT_STORE_REQUEST_TIMEOUT: '1s',
  PLANT_STORE_KEEP_ALIVE_TIMEOUT: '300ms',
};
const service = await startService({ after }, { env });
/** Has one connection alone, so that its sockets can be counted. */
const quiet = await startService({ after }, { env });
/** Far more than the time-outs above, and the second within which the service looks at them. */
const generousMs = 15_000;

/** Resolves when the service has closed the connection; fails when it does not. */
async function assertCloses(connection: Connection): Promise<void> {
  const late = delay(generousMs, 'late' as const, { ref: false });
  assert.notEqual(await Promise.race([connection.closed, late]), 'late', 'the connection is still open');
}

async function assertCut(connection: Connection, path = '/plants'): Promise<void> {
  assertError(await connection.answer('POST', path), 'request_timeout');
  await assertCloses(connection);
  assert.equal(connection.left, '');
  await assertServes(service);
}

/** Sends byte after byte until the connection ends. */
async function trickle(connection: Connection, bytes: string): Promise<void> {
  for (const byte of bytes) {
    if (!(await connection.send(byte))) return;
    await delay(50);
  }
  assert.fail('every byte was taken');
}

describe('time-outs', { concurrency: true }, () => {
  it('cut a head that stops', async () => {
    const connection = await Connection.open(service);
    await connection.send('POST /plants HTTP/1.1\r\nHo');
    await assertCut(connection);
  });

  it('cut a head that trickles', async () => {
    const connection = await Connection.open(service);
    const trickled = trickle(connection, head('POST /plants HTTP/1.1', [host, `X-A: ${'a'.repeat(1000)}`]));
    await assertCut(connection);
    await trickled;
  });

  it('cut a connection that never says anything', async () => {
    const connection = await Connection.open(service);
    await assertCloses(connection);
  });

  it('cut a body that stops', async () => {
    const connection = await Connection.open(service);
    await connection.send(createHead(service, ['Content-Length: 100'], '{'));
    await assertCut(connection);
  });

  it('cut a body that trickles', async () => {
    const connection = await Connection.open(service);
    await connection.send(createHead(service, ['Content-Length: 1000']));
    const trickled = trickle(connection, ' '.repeat(1000));
    await assertCut(connection);
    await trickled;
  });

  it('cut chunks that trickle', async () => {
    const connection = await Connection.open(service);
    await connection.send(createHead(service, ['Transfer-Encoding: chunked']));
    const trickled = trickle(connection, chunk(' ').repeat(1000));
    await assertCut(connection);
    await trickled;
  });

  it('cut a client that was told to go on, and does not', async () => {
    const connection = await Connection.open(service);
    await connection.send(createHead(service, ['Content-Length: 100', 'Expect: 100-continue']));
    assert.equal((await connection.answer())?.status, 100);
    await assertCut(connection);
  });

  it('cut a half request behind a whole one, which is answered', async () => {
    const connection = await Connection.open(service);
    await connection.send(`${create(service, plant(nextId()))}POST /pl`);
    assert.equal((await connection.answer())?.status, 200);
    await assertCut(connection);
  });

  it('cut an answered request whose body stops, without a second answer', async () => {
    const connection = await Connection.open(service);
    await connection.send(head('POST /plants HTTP/1.1', [host, 'Content-Length: 100'], '{'));
    assertError(await connection.answer(), 'token_missing');
    await assertCloses(connection);
    assert.equal(connection.left, '');
  });

  it('close an idle connection, without an answer', async () => {
    const connection = await Connection.open(service);
    await connection.send(live);
    assert.equal((await connection.answer('GET', '/livez'))?.status, 200);
    await assertCloses(connection);
    assert.equal(connection.left, '');
  });

  const skip = existsSync('/proc/self/fd') ? false : 'this system has no /proc to count sockets in';
  it('cut a reader that stalls', { skip }, async () => {
    const connection = await Connection.open(quiet);
    connection.stall();
    const answers = 400;
    await connection.send(head('GET /openapi.json HTTP/1.1', [host]).repeat(answers));
    const countFiles = (): number => readdirSync(`/proc/${quiet.pid}/fd`).length;
    const others = countFiles() - 1;
    // The stalled side cannot see its end, but the service has one open file less.
    const giveUpAt = performance.now() + generousMs;
    while (countFiles() > others && performance.now() < giveUpAt) await delay(100);
    connection.resume();
    await assertCloses(connection);
    let seen = 0;
    for (; (await connection.answer('GET', '/openapi.json').catch(() => undefined)) !== undefined; seen++);
    assert.ok(seen < answers, 'every answer was sent to a client that did not read');
  });
});

after(() => assertQuiet(service));
