/** Long, stalled or interrupted imports and exports of a running service. bulk-import and bulk-export test their contents. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { after, describe, it } from 'node:test';
import { assertError } from '../support/assert-reply.ts';
import { exportPlants, importRows, ndjson } from '../support/bulk.ts';
import { assertServes } from '../support/plants.ts';
import { readPlants } from '../support/store-under-test.ts';
import type { Reply } from '../support/reply.ts';
import { request } from '../support/request.ts';
import { sendRaw } from '../edge/connection.ts';
import type { Cleanup } from '../support/clean-up.ts';
import { createToken } from '../support/tokens.ts';
import type { ServiceOptions } from '../support/service-run.ts';
import { type ServiceProcess, startProcess } from '../support/start-process.ts';
import { until } from '../support/until.ts';

const importHead = (service: ServiceProcess, more = ''): string =>
  `POST /plants/import HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: ${ndjson}\r\n${more}Transfer-Encoding: chunked\r\n\r\n`;
const exportHead = (service: ServiceProcess): string =>
  `GET /plants/export HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nAuthorization: Bearer ${service.token}\r\n\r\n`;

function toRows(first: number, count: number, name = 'a'): string {
  return Array.from({ length: count }, (_, index) => `{"id":${first + index},"name":"${name}"}\n`).join('');
}

function toChunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

function open(service: ServiceProcess, bytes: string): Socket {
  const socket = connect(service.port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  socket.write(bytes);
  return socket;
}

/** Starts a store whose export exceeds the buffers of a connection: 17 MB. */
async function startFilled(context: Cleanup, options?: ServiceOptions): Promise<ServiceProcess> {
  const service = await startProcess(context, options);
  const name = 'x'.repeat(1_000);
  const body = Array.from({ length: 16 }, (_, index) => toRows(index * 1_000, 1_000, name));
  assert.equal((await importRows(service, ndjson, body)).created, 16_000);
  return service;
}

const filled = await startFilled({ after });

describe('exportPlants', () => {
  it('of a snapshot does not include later writes', async () => {
    const socket = open(filled, exportHead(filled));
    await once(socket, 'readable');
    await importRows(filled, ndjson, toRows(100_000, 5));
    let text = '';
    socket.on('data', (bytes) => (text += bytes.toString('latin1'))).resume();
    await until(() => text.endsWith('\r\n0\r\nplants-exported: 16000\r\n\r\n'), 'the export ended');
    assert.doesNotMatch(text, /"id":100000,/);
    assert.equal((await exportPlants(filled, ndjson)).trailers['plants-exported'], '16005');
  });

  it('is refused while too many stalled ones run; ends them when their clients disconnect', async () => {
    const other = { ...filled, ...(await createToken(filled, ['plants:read'])) };
    const stalled = [filled, filled].map((each) => open(each, exportHead(each)));
    await Promise.all(stalled.map((socket) => once(socket, 'readable')));
    assertError(await request(filled, { path: '/plants/export' }), 'store_busy');
    stalled.push(...[other, other].map((each) => open(each, exportHead(each))));
    await Promise.all(stalled.map((socket) => once(socket, 'readable')));
    const path = '/plants/export';
    assertError(await request(filled, { path }), 'store_busy');
    assert.equal((await request(filled, { path, method: 'HEAD' })).status, 200);
    await assertServes(filled);
    for (const socket of stalled) socket.destroy();
    await until(async () => (await request(filled, { path })).status === 200, 'an export was taken again');
  });

  for (const version of ['1.0', '1.1']) {
    it(`that a shutdown interrupts ends with a reset over HTTP/${version}`, async (context) => {
      const service = await startFilled(context, { env: { PLANT_STORE_DRAIN_TIMEOUT: '100ms' } });
      const socket = open(service, exportHead(service).replace('HTTP/1.1', `HTTP/${version}`));
      const ended = Promise.withResolvers<string>();
      socket.on('error', ({ code }: NodeJS.ErrnoException) => ended.resolve(code ?? ''));
      socket.on('end', () => ended.resolve('as if it were complete'));
      await once(socket, 'readable');
      service.signal('SIGTERM');
      assert.equal((await service.exited).code, 0);
      let text = '';
      socket.on('data', (bytes) => (text += bytes.toString('latin1'))).resume();
      assert.equal(await ended.promise, 'ECONNRESET');
      assert.doesNotMatch(text, /\r\n0\r\n|plants-exported: \d/);
    });
  }
});

describe('importPlants', () => {
  /** Much longer than the pauses between chunks, however busy the machine is. */
  const slow = { env: { PLANT_STORE_REQUEST_TIMEOUT: '3s', PLANT_STORE_HEADERS_TIMEOUT: '3s' } };

  it('may take longer than the time-out of a request, as long as data arrives', async (context) => {
    const service = await startProcess(context, slow);
    const chunks = Array.from({ length: 12 }, (_, index) => [() => setTimeout(350), toChunk(toRows(index, 1))]).flat();
    const [reply] = await sendRaw(service, [importHead(service), ...chunks, '0\r\n\r\n']);
    assert.equal(reply?.status, 200);
    assert.match(reply.text, /^\{"read":12,"created":12,/);
  });

  it('returns 408 when the client stops sending, and keeps stored rows', async (context) => {
    const service = await startProcess(context, slow);
    const [reply] = await sendRaw(service, [importHead(service), toChunk(toRows(0, 1_200))], { answers: Infinity });
    assertError(reply, 'request_timeout');
    assert.match(reply?.message ?? '', /The rows up to line 1000 of this request are done/);
    assert.equal(reply?.headers['connection'], 'close');
    assert.deepEqual(
      [...(await readPlants(service.dataDir)).keys()],
      Array.from({ length: 1_000 }, (_, index) => BigInt(index)),
    );
    const [silent] = await sendRaw(service, importHead(service));
    assertError(silent, 'request_timeout');
    assert.match(silent?.message ?? '', /No row was stored/);
  });

  it('is refused while too many stalled ones run; another is taken when their clients disconnect', async (context) => {
    const service = await startProcess(context);
    const other = { ...service, ...(await createToken(service, ['plants:read', 'plants:write'])) };
    const stalled = Array.from({ length: 16 }, (_, index) =>
      open(service, importHead(index < 8 ? service : other, 'Expect: 100-continue\r\n')),
    );
    // The service asks for the body of an import that it has begun.
    await Promise.all(stalled.map((socket) => once(socket, 'readable')));
    const send = (): Promise<Reply> =>
      request(service, { path: '/plants/import', headers: { 'content-type': ndjson }, body: toRows(0, 1) });
    assertError(await send(), 'store_busy');
    await assertServes(service);
    for (const socket of stalled) socket.destroy();
    await until(async () => (await send()).status === 200, 'an import was taken again');
  });

  it('does not change the time-out of other requests', async (context) => {
    const service = await startProcess(context, slow);
    const body = importHead(service).replace('/import', '').replace(ndjson, 'application/json');
    const chunks = Array.from({ length: 20 }, () => [() => setTimeout(250), toChunk(' ')]).flat();
    const [reply] = await sendRaw(service, [body, ...chunks]);
    assertError(reply, 'request_timeout');
  });

  it('whose client disconnects keeps the rows passed to the store, and affects nobody else', async (context) => {
    const service = await startProcess(context);
    const socket = open(service, importHead(service) + toChunk(toRows(0, 5_300)));
    await until(async () => (await readPlants(service.dataDir)).size >= 5_000, 'the first rows were stored');
    socket.destroy();
    await assertServes(service);
    const ids = [...(await readPlants(service.dataDir)).keys()].filter((id) => id < 1_000_000n);
    assert.deepEqual(
      ids,
      Array.from({ length: 5_000 }, (_, index) => BigInt(index)),
    );
    // A second import completes it.
    assert.match(
      JSON.stringify(await importRows(service, ndjson, toRows(0, 5_300))),
      /"created":300,"unchanged":5000,/,
    );
    assert.equal(service.logLines.filter(({ level }) => level === 'error').length, 0);
  });

  it('ends early and reports its progress when the service shuts down', async (context) => {
    const service = await startProcess(context);
    const [reply] = await sendRaw(
      service,
      [
        importHead(service) + toChunk(toRows(0, 1_000)),
        async () => {
          await until(async () => (await readPlants(service.dataDir)).size === 1_000, 'the first rows were stored');
          service.signal('SIGTERM');
          await service.findLog(({ msg }) => msg === 'Draining');
        },
        toChunk(toRows(1_000, 1_000)),
      ],
      { requests: [{ method: 'POST', path: '/plants/import' }] },
    );
    assertError(reply, 'shutting_down');
    assert.match(reply?.message ?? '', /The rows up to line 1000 of this request are done/);
    assert.equal((await service.exited).code, 0);
  });

  it('uses constant memory, and other requests are served', async (context) => {
    // As in `npm start`: a large young generation would hide leaks.
    const service = await startProcess(context, { nodeArgs: ['--max-semi-space-size=8'] });
    const rssOf = async (): Promise<number> =>
      Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1_024;
    const [chunks, rowsOfChunk, name] = [600, 500, 'x'.repeat(300)];
    const rows = Array.from({ length: chunks }, (_, index) => toRows(index * rowsOfChunk, rowsOfChunk, name));
    // Warm up in small imports: the heap of a new process grows in any case, but a large one would hide
    // what the next one keeps, because the peak is measured.
    for (let at = 0; at < chunks; at += 60) await importRows(service, ndjson, rows.slice(at, at + 60), '?dryRun=true');
    const before = await rssOf();
    const imported = importRows(service, ndjson, rows, '?dryRun=true');
    const isDone = async (): Promise<boolean> => (await Promise.race([imported, Promise.resolve()])) !== undefined;
    let served = 0;
    for (; !(await isDone()); served++) await assertServes(service);
    assert.equal((await imported).created, chunks * rowsOfChunk);
    assert.ok(served >= 10, `only ${served} creates were answered during the import`);
    const grown = (await rssOf()) - before;
    // The body has 98 MB.
    assert.ok(grown < 30, `memory grew by ${grown.toFixed()} MB`);
  });
});
