/** Request ids and the access log: the same id in the answer and in the line, and nothing of the client's making in a line. */
import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Server, Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import type { Operation } from '../../src/contract/operations.ts';
import { type ErrorCode, ServiceError } from '../../src/domain/errors.ts';
import type { Store } from '../../src/domain/store.ts';
import { AccessLog, type AccessLogMode } from '../../src/http/steps/access-log.ts';
import { openMemoryStore } from '../../src/store/sqlite/open-memory-store.ts';
import { head, host } from '../edge/bytes.ts';
import { Connection, exchange } from '../edge/connection.ts';
import { nextId } from '../support/plants.ts';
import { recordLog } from '../support/record-log.ts';
import { request, type RequestOptions } from '../support/request.ts';
import type { LogLine } from '../support/service-run.ts';
import { startServer } from '../support/start-server.ts';
import { startService } from '../support/start-service.ts';
import { stopClock } from '../support/stop-clock.ts';

const env = { PLANT_STORE_ACCESS_LOG: 'all', PLANT_STORE_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' };
const service = await startService({ after }, { env: { ...env, PLANT_STORE_QUEUE_WRITES_MAX: '2' } });
const traceId = '0af7651916cd43dd8448eb211c80319c';

const lineOf = (id: string | undefined): Promise<LogLine> => service.findLog(({ requestId }) => requestId === id);

describe('a request id', () => {
  for (const [status, code, options] of [
    [200, undefined, { path: '/livez' }],
    [200, undefined, { path: '/console/' }],
    [400, 'json_malformed', { body: '{' }],
    [401, 'token_missing', { path: '/plants', token: null }],
    [404, 'path_unknown', { path: '/nothing' }],
    [413, 'body_too_large', { body: 'x'.repeat(70_000) }],
  ] as const satisfies readonly (readonly [number, ErrorCode | undefined, RequestOptions])[]) {
    it(`of the client is in the answer and the line: ${status} ${JSON.stringify(options).slice(0, 40)}`, async () => {
      const id = `mine.${nextId()}`;
      const reply = await request(service, { ...options, headers: { 'x-request-id': id } });
      assert.deepEqual([reply.status, reply.headers['x-request-id']], [status, id]);
      const line = await lineOf(id);
      assert.deepEqual([line.level, line['status'], line['code']], ['info', status, code]);
    });
  }

  it('is in each 503, each with its own', async () => {
    const create = () => request(service, { body: `{"id":${nextId()},"name":"fern"}` });
    for (;;) {
      const replies = await Promise.all(Array.from({ length: 8 }, create));
      assert.equal(new Set(replies.map(({ headers }) => headers['x-request-id'])).size, replies.length);
      const busy = replies.find(({ status }) => status === 503);
      if (busy === undefined) continue;
      assert.equal((await lineOf(busy.headers['x-request-id']))['status'], 503);
      return;
    }
  });

  for (const [status, code, bytes] of [
    [400, 'request_malformed', 'GET / HTTP/1.1\r\nX-Request-Id: parsed.1\r\nno colon\r\n\r\n'],
    [431, 'headers_too_large', `GET / HTTP/1.1\r\nX-Request-Id: parsed.2\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`],
    [501, 'method_unknown', 'BAD / HTTP/1.1\r\nX-Request-Id: not taken\r\n\r\n'],
  ] as const) {
    it(`is in what Node's parser refuses: ${status}`, async () => {
      const connection = await Connection.open(service);
      await connection.send(bytes);
      const reply = await connection.answer();
      const id = reply?.headers['x-request-id'];
      assert.equal(reply?.status, status);
      if (status !== 501) assert.match(id ?? '', /^parsed\.[12]$/);
      const line = await lineOf(id);
      assert.deepEqual([line['status'], line['code'], line['client']], [status, code, '127.0.0.1']);
    });
  }

  it('of another form, or sent twice, is replaced', async () => {
    for (const id of ['a b', 'a"}', 'ä', '', 'a'.repeat(129), ['one', 'two']]) {
      const reply = await request(service, { path: '/livez', headers: { 'x-request-id': id } });
      assert.match(reply.headers['x-request-id'] ?? '', /^[\w-]{12}\.\d+$/);
    }
  });
});

describe('the line of a request', () => {
  it('has its fields, and never the target', async () => {
    const id = `fields.${nextId()}`;
    const fields = [
      ...[host, `Authorization: Bearer ${service.token}`, 'Connection: close', `X-Request-Id: ${id}`],
      ...[`traceparent: 00-${traceId}-b7ad6b7169203331-01`, 'X-Forwarded-For: 1.1.1.1, 192.0.2.7, 10.1.2.3'],
    ];
    const before = head('GET /livez HTTP/1.1', [host, `X-Request-Id: ${id}.before`]);
    const asked = head('GET /plants/70007?note=hidden-text HTTP/1.1', fields);
    const bytes = await exchange(service, before + asked);
    const bytesBefore = Number((await lineOf(`${id}.before`))['bytesOut']);
    const { time: _time, durationMs, token, ...line } = await lineOf(id);
    assert.deepEqual(line, {
      ...{ level: 'info', msg: 'Replied', requestId: id, traceId, method: 'GET', route: '/plants/{id}' },
      ...{
        operation: 'getPlant',
        status: 404,
        code: 'plant_unknown',
        bytesOut: bytes.length - bytesBefore,
        client: '192.0.2.7',
      },
    });
    assert.match(String(durationMs), /^\d+(?:\.\d{1,3})?$/);
    assert.match(String(token), /^\w+/);
    assert.doesNotMatch(service.output(), /hidden-text|70007/);
  });

  for (const [client, forwarded] of [
    ['127.0.0.1', undefined],
    ['10.0.0.9', '10.0.0.9'],
    ['127.0.0.1', '192.0.2.7, "forged\n'.trim()],
    ['2001:db8::1', '2001:db8::1'],
    ['192.0.2.7', '192.0.2.7:50001'],
    ['192.0.2.7', '192.0.2.7:50001, 10.1.2.3:443'],
    ['2001:db8::1', '[2001:db8::1]:50001'],
    ['2001:db8::1', '[2001:db8::1]'],
    ['127.0.0.1', '192.0.2.7:port'],
    ['127.0.0.1', '[192.0.2.7'],
    ['127.0.0.1', ':50001'],
  ] as const) {
    it(`has the client ${client} for X-Forwarded-For: ${forwarded ?? 'none'}`, async () => {
      const headers = { 'x-forwarded-for': forwarded };
      const reply = await request(service, { path: '/livez', headers });
      assert.equal((await lineOf(reply.headers['x-request-id']))['client'], client);
    });
  }

  for (const later of [`01-${traceId}-b7ad6b7169203331-01`, `cc-${traceId}-b7ad6b7169203331-01-more`])
    it(`has the trace of a later version: ${later}`, async () => {
      const reply = await request(service, { path: '/livez', headers: { traceparent: later } });
      assert.equal((await lineOf(reply.headers['x-request-id']))['traceId'], traceId);
    });

  for (const traceparent of [
    `ff-${traceId}-b7ad6b7169203331-01`,
    `01-${traceId}-b7ad6b7169203331-01more`,
    `00-${traceId.toUpperCase()}-b7ad6b7169203331-01`,
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-b7ad6b7169203331-01-more`,
  ]) {
    it(`has no trace of ${traceparent}`, async () => {
      const reply = await request(service, { path: '/livez', headers: { traceparent } });
      assert.ok(!('traceId' in (await lineOf(reply.headers['x-request-id']))));
    });
  }
});

describe('errors in the log', () => {
  it('an unexpected one is logged with the request id and the trace', async (t) => {
    const { log, lines } = await recordLog('error');
    const store = openMemoryStore({ limits: { writesMax: 1, bytesMax: 1_000 } });
    t.after(() => store.close());
    const plants = { ...store.plants, find: () => Promise.reject(new Error('made by a test')) };
    const port = await startServer(t, { ...store, plants }, [], store, { log });
    const headers = { 'x-request-id': 'bug', traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    const target = { url: `http://127.0.0.1:${port}`, port, basePath: '', token: 'any' };
    assert.equal((await request(target, { path: '/plants/1', headers })).status, 500);
    assert.deepEqual(
      lines.map(({ msg, requestId, traceId: trace, operation }) => [msg, requestId, trace, operation]),
      [['Request failed', 'bug', traceId, 'getPlant']],
    );
  });
});

describe('a stream that is cut', () => {
  for (const [error, messages] of [
    [new ServiceError('store_unavailable'), []],
    [
      new ServiceError('store_busy', { cause: new Error('made by a test') }),
      [['warn', 'A reply was cut', 'made by a test']],
    ],
    [new Error('made by a test'), [['error', 'Request failed', undefined]]],
  ] as const)
    it(`has ${messages.length} lines of its own: ${error.message}`, async (t) => {
      const { log, lines } = await recordLog('warn');
      const store = openMemoryStore({ limits: { writesMax: 1, bytesMax: 1_000 } });
      t.after(() => store.close());
      let reads = 0;
      const read: Store['changes']['read'] = (query) =>
        (reads += 1) === 1 ? store.changes.read(query) : Promise.reject(error);
      const port = await startServer(t, { ...store, changes: { ...store.changes, read } }, [], store, { log });
      const headers = { authorization: 'Bearer any', accept: 'text/event-stream' };
      const response = fetch(`http://127.0.0.1:${port}/plants/changes`, { headers });
      await assert.rejects(response.then((each) => each.text()));
      assert.equal(reads, 2);
      assert.deepEqual(
        lines.map(({ level, msg, reason }) => [level, msg, reason]),
        messages,
      );
    });
});

describe('connections that cannot be accepted', () => {
  it('are one line, however many they are', async (t) => {
    const listening = t.mock.method(Server.prototype, 'listen');
    const { log, lines } = await recordLog('info');
    const store = openMemoryStore({ limits: { writesMax: 1, bytesMax: 1_000 } });
    t.after(() => store.close());
    await startServer(t, store, [], store, { log });
    const server = listening.mock.calls[0]?.this as Server;
    for (let times = 0; times < 100; times += 1) server.emit('error', new Error('ENOMEM'));
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [['error', 'Cannot accept connections']],
    );
  });
});

describe('AccessLog', () => {
  /** The lines for these statuses, one each; undefined is a client that disconnected. */
  function note(mode: AccessLogMode, statuses: readonly (number | undefined)[]) {
    const lines: unknown[] = [];
    const log = {
      info: (fields: unknown) => lines.push((fields as LogLine)['status'] ?? fields),
      debug: () => assert.fail('debug is not enabled'),
      isLevelEnabled: () => false,
    };
    const accessLog = new AccessLog({ mode, isTrusted: () => false, log });
    const access = {
      request: new IncomingMessage(new Socket()),
      ...{ requestId: 'a', traceId: undefined, startedAt: 0, bytesBefore: 0, principal: undefined },
      operation: undefined as Operation | undefined,
    };
    for (const status of statuses) accessLog.write(access, status, undefined);
    return { lines, more: () => accessLog.write(access, 500, 'internal') };
  }

  const all = [200, 304, 400, 401, 403, 404, 409, 429, 499, 500, 503];
  it('lists what fails, all, or nothing', () => {
    assert.deepEqual(note('errors', [...all, undefined]).lines, [401, 403, 429, 500, 503]);
    assert.deepEqual(note('off', all).lines, []);
    assert.deepEqual(note('all', all).lines, all);
  });

  it('lists ten errors a second, and then the number of the others', (t) => {
    const pass = stopClock(t, { apis: ['setTimeout'] });
    const { lines, more } = note('errors', Array<number>(25).fill(401));
    assert.deepEqual(lines.splice(0), Array<number>(10).fill(401));
    pass(1_000);
    assert.deepEqual(lines.splice(0), [{ requests: 15 }]);
    for (let times = 0; times < 12; times += 1) more();
    pass(10_000);
    assert.deepEqual(lines, [...Array<number>(10).fill(500), { requests: 2 }]);
  });
});
