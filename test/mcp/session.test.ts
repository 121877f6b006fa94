/** The messages of `plant-store mcp`, line by line: what is no message, versions, cancellation, limits and the end. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { PlantClient } from '../../src/client/client.ts';
import { lineBytesMax } from '../../src/mcp/read-lines.ts';
import { Session } from '../../src/mcp/session.ts';
import { tools } from '../../src/mcp/tools.ts';
import { startScript } from '../client/scripted-server.ts';
import type { Output } from '../../src/cli/command-context.ts';
import { runHere, type Surroundings } from '../cli/run-cli.ts';
import { startService } from '../support/start-service.ts';
import { startMcp, type StartedMcp } from './start-mcp.ts';

const service = await startService({ after });
const env = { PLANT_STORE_URL: service.url, PLANT_STORE_TOKEN: service.token };

const request = (id: unknown, method: string, params?: object): object => ({ jsonrpc: '2.0', id, method, params });
const begin = (id: unknown, protocolVersion: unknown = '2025-11-25'): object =>
  request(id, 'initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } });
const getPlant = (id: unknown, meta?: object): object =>
  request(id, 'tools/call', { name: 'get_plant', arguments: { id: '7' }, _meta: meta });
const toMeta = (version: unknown, clientCapabilities?: unknown): object => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientCapabilities': clientCapabilities,
});

interface Reply {
  readonly jsonrpc: string;
  readonly id?: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

async function next(mcp: StartedMcp): Promise<Reply> {
  return JSON.parse((await mcp.next()) ?? 'null') as Reply;
}

describe('plant-store mcp', () => {
  /** What is sent before `initialize`, or after it; id and code of the reply, and a part of its message. */
  const refused: readonly (readonly [
    about: string,
    sent: object | string | Uint8Array,
    id: unknown,
    code: number,
    part: RegExp,
  ])[] = [
    ['no JSON', 'hello\n', undefined, -32700, /Cannot read JSON: wanted a value at position 0/],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22, 0x0a]), undefined, -32700, /it is not UTF-8/],
    ['a line that is too long', `"${'a'.repeat(lineBytesMax - 1)}"\n`, undefined, -32700, /more than 1048576 bytes/],
    [
      'half of a surrogate pair',
      '{"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":"\\ud800"}}\n',
      5,
      -32700,
      /surrogate pair/,
    ],
    [
      'two members of one name',
      '{"jsonrpc":"2.0","id":"a","id":"b","method":"ping"}\n',
      'b',
      -32700,
      /a name that its object/,
    ],
    ['a batch', [request(1, 'ping')], undefined, -32600, /no batches/],
    ['a value that is no object', '7\n', undefined, -32600, /must be an object/],
    ['another version of JSON-RPC', { jsonrpc: '1.0', id: 1, method: 'ping' }, 1, -32600, /"jsonrpc": "2\.0"/],
    ['no method', { jsonrpc: '2.0', id: 1 }, 1, -32600, /"method"/],
    ['an id that is null', request(null, 'ping'), undefined, -32600, /"id" must be/],
    ['an id with a fraction', request(1.5, 'ping'), undefined, -32600, /"id" must be/],
    ['parameters in an array', request(1, 'ping', []), 1, -32602, /"params" must be an object/],
    ['an unknown method', request('x', 'prompts/list'), 'x', -32601, /"prompts\/list"/],
    ['initialize without a version', begin(1, 7), 1, -32602, /"protocolVersion"/],
    ['a call before initialize', getPlant(1), 1, -32602, /Begin with "initialize"/],
    ['a version without capabilities', getPlant(1, toMeta('2026-07-28')), 1, -32602, /clientCapabilities/],
    ['an unknown version', getPlant(1, toMeta('2099-01-01', {})), 1, -32022, /Unsupported protocol version/],
    [
      'arguments that are no object',
      request(1, 'tools/call', { name: 'get_plant', arguments: [], _meta: toMeta('2026-07-28', {}) }),
      1,
      -32602,
      /"arguments"/,
    ],
    [
      'an unknown tool',
      request(1, 'tools/call', { name: 'get', _meta: toMeta('2026-07-28', {}) }),
      1,
      -32602,
      /no such tool/,
    ],
  ];
  it('refuses what it cannot use, and goes on', async (t) => {
    const mcp = startMcp([], env, t);
    for (const [about, sent, id, code, part] of refused) {
      mcp.send(sent);
      const { error, ...reply } = await next(mcp);
      assert.deepEqual(reply, id === undefined ? { jsonrpc: '2.0' } : { jsonrpc: '2.0', id }, about);
      assert.equal(error?.code, code, about);
      assert.match(error.message, part, about);
    }
    mcp.send(`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`);
    mcp.close();
    assert.equal(await mcp.next(), '{"jsonrpc":"2.0","id":9007199254740993,"result":{}}');
    assert.equal(await mcp.next(), undefined);
    assert.deepEqual(await mcp.ended, { code: 0, stderr: '' });
  });

  it('says nothing to notifications, responses and blank lines', async (t) => {
    const mcp = startMcp([], env, t);
    mcp.send('\n  \r\n');
    mcp.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    mcp.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 4 } });
    mcp.send({ jsonrpc: '2.0', id: 3, result: {} });
    mcp.send({ jsonrpc: '2.0', id: 3, error: { code: 1, message: '' } });
    mcp.send(request(1, 'ping'));
    assert.equal((await next(mcp)).id, 1);
  });

  it('takes a message of the longest length, in any pieces', async (t) => {
    const mcp = startMcp([], env, t);
    const short = JSON.stringify(request('é', 'ping', { a: '' }));
    const left = lineBytesMax - Buffer.byteLength(short);
    const line = Buffer.from(`${short.slice(0, -3)}${'é'.repeat(left / 2)}${'a'.repeat(left % 2)}"}}`);
    assert.equal(line.length, lineBytesMax);
    for (const cut of [1, 40, 65_537, line.length - 3]) {
      mcp.send(line.subarray(0, cut));
      mcp.send(line.subarray(cut));
      mcp.send('\n');
      assert.deepEqual(await next(mcp), { jsonrpc: '2.0', id: 'é', result: {} });
    }
  });

  it('answers initialize with the version of the client, or the newest one that begins so', async (t) => {
    const mcp = startMcp([], env, t);
    for (const [asked, got] of [
      ['2025-11-25', '2025-11-25'],
      ['2025-06-18', '2025-06-18'],
      ['2024-11-05', '2025-11-25'],
      ['2099-01-01', '2025-11-25'],
    ]) {
      mcp.send(begin(1, asked));
      const { result } = await next(mcp);
      assert.equal(result?.['protocolVersion'], got);
      assert.deepEqual(result?.['capabilities'], { tools: {} });
    }
    mcp.send(getPlant(2));
    assert.equal((await next(mcp)).result?.['isError'], true);
  });

  it('tells of 2026-07-28 with server/discover, also as the probe of a client that knows both ways', async (t) => {
    const mcp = startMcp([], env, t);
    mcp.send(request(1, 'server/discover', { _meta: toMeta('2099-01-01', {}) }));
    const { error } = await next(mcp);
    assert.deepEqual(error?.data, { supported: ['2026-07-28', '2025-11-25', '2025-06-18'], requested: '2099-01-01' });
    mcp.send(request(1, 'server/discover', { _meta: toMeta('2026-07-28', {}) }));
    assert.deepEqual((await next(mcp)).result?.['supportedVersions'], ['2026-07-28']);
  });

  it('finishes the calls that have begun when standard input ends', async (t) => {
    const mcp = startMcp([], env, t);
    mcp.send(begin(1));
    for (const id of ['a', 'b', 'c']) mcp.send(getPlant(id));
    mcp.close();
    const ids = [];
    for (let line = await mcp.next(); line !== undefined; line = await mcp.next())
      ids.push((JSON.parse(line) as Reply).id);
    assert.deepEqual(ids.sort(), [1, 'a', 'b', 'c']);
    assert.equal((await mcp.ended).code, 0);
  });

  it('cancels a call, and sends nothing more for it', async (t) => {
    const silent = await startScript(t, ['silent']);
    const mcp = startMcp([], { ...env, PLANT_STORE_URL: silent.url }, t);
    mcp.send(begin(1));
    mcp.send(getPlant(2));
    mcp.send(getPlant(2));
    assert.equal((await next(mcp)).id, 1);
    assert.match((await next(mcp)).error?.message ?? '', /not finished/);
    while (silent.received.length === 0) await setImmediate();
    mcp.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    await silent.closed;
    mcp.close();
    assert.equal(await mcp.next(), undefined);
    assert.deepEqual(await mcp.ended, { code: 0, stderr: '' });
  });

  it('runs 64 calls at once and refuses one more; SIGTERM aborts them', async (t) => {
    const silent = await startScript(
      t,
      Array.from({ length: 64 }, () => 'silent' as const),
    );
    const mcp = startMcp([], { ...env, PLANT_STORE_URL: silent.url }, t);
    mcp.send(begin(1));
    await next(mcp);
    for (let id = 1; id <= 65; id++) mcp.send(getPlant(id));
    const { id, result } = await next(mcp);
    assert.deepEqual([id, result?.['isError']], [65, true]);
    assert.match(JSON.stringify(result), /Only 64 calls/);
    mcp.signal('SIGTERM');
    assert.deepEqual(await mcp.ended, { code: 0, stderr: '' });
    assert.equal(await mcp.next(), undefined);
  });

  /** Starts the command with a request that is answered, and calls `writeAll` with the answer. */
  function runUnread(writeAll: Output['writeAll'], surroundings: Partial<Surroundings>): Promise<number> {
    const stdin = new PassThrough();
    stdin.write(`${JSON.stringify(request(1, 'ping'))}\n`);
    const output = { isTTY: false, columns: undefined, write: assert.fail, writeAll };
    return runHere(['mcp'], { stdin, stdout: output, stderr: output, env, ...surroundings });
  }

  it('ends at SIGTERM also if the client reads nothing', async () => {
    const [written, ended] = [Promise.withResolvers<undefined>(), Promise.withResolvers<number>()];
    let stop = (): void => assert.fail('It does not listen');
    const writeAll = (): Promise<boolean> => {
      written.resolve(undefined);
      return new Promise(() => undefined);
    };
    void runUnread(writeAll, {
      onStopSignal: (listener) => (stop = () => listener('SIGTERM')),
      exitNow: ended.resolve,
    });
    await written.promise;
    stop();
    assert.equal(await ended.promise, 0);
  });

  it('ends when nobody can read its replies any more', async () => {
    assert.equal(await runUnread(() => Promise.resolve(false), {}), 0);
  });
});

describe('Session', () => {
  it('ends a call that takes too long, and says of a write that it may be executed', async (t) => {
    const silent = await startScript(t, ['silent', 'silent']);
    const written: string[] = [];
    const session = new Session({
      tools,
      client: new PlantClient({ url: silent.url, token: 'a' }),
      version: '1.0.0',
      explain: (error) => error,
      write: async (text) => void written.push(text),
      onBug: assert.ifError,
      signal: new AbortController().signal,
      callMs: 1,
    });
    const take = (message: object): Promise<void> => session.take({ text: JSON.stringify(message) });
    await take(begin(0));
    for (const name of ['get_plant', 'delete_plant']) {
      await take(request(1, 'tools/call', { name, arguments: { id: '7' } }));
      await session.end();
    }
    assert.match(written[1] ?? '', /did not answer in time. Try again later/);
    assert.match(written[2] ?? '', /did not answer in time. It may still be executed/);
  });
});
