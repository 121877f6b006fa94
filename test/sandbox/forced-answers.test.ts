/** Answers that a client forces with Prefer: whole, as described, and without a trace in the store. */
import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { after, describe, it, type TestContext } from 'node:test';
import { Authenticator } from '../../src/auth/authenticator.ts';
import { membersOf, resolve } from '../../src/contract/description.ts';
import type { Contract } from '../../src/contract/load-contract.ts';
import { ForcedAnswers } from '../../src/sandbox/forced-answers.ts';
import { RateLimiter } from '../../src/http/steps/rate-limit.ts';
import { parseSandboxToken } from '../../src/sandbox/sandbox-token.ts';
import { openMemoryStore } from '../../src/store/sqlite/open-memory-store.ts';
import { toAnswerCheck } from '../judge/check-answer.ts';
import { type Json, RequestMaker } from '../judge/make-requests.ts';
import { contract } from '../support/read-contract.ts';
import { request, type RequestOptions, type Target } from '../support/request.ts';
import { startServer } from '../support/start-server.ts';
import { stopClock } from '../support/stop-clock.ts';

const store = openMemoryStore({ limits: { writesMax: 100, bytesMax: 1_000_000 } });
after(() => store.close());
/** A sandbox's own tokens: they lack the scopes of some operations, which can be forced, too. */
const principal = parseSandboxToken('sandbox-12345678');
assert.ok(principal);
const principals = { find: () => ({ ...principal, limitKey: 'any' }) };
const sandbox = {
  toForcedAnswers: (contract: Contract) =>
    new ForcedAnswers({ contract, shutdown: new AbortController().signal, findNetwork: () => 'any' }),
};
const service = await start({ ...sandbox, principals });
const ordinary = await start();

async function start(deps?: Parameters<typeof startServer>[4]): Promise<Target> {
  const port = await startServer({ after }, store, [], store, deps);
  return { url: `http://127.0.0.1:${port}`, port, basePath: '', token: 'sandbox-12345678' };
}

function prefer(value: string, options: RequestOptions = {}): ReturnType<typeof request> {
  return request(service, { path: '/plants/7', ...options, headers: { ...options.headers, prefer: value } });
}

describe('every documented status of every operation', () => {
  const document = JSON.parse(
    JSON.stringify(contract.document, (_key, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
  ) as Json;
  const maker = new RequestMaker(document, 1);
  const check = toAnswerCheck(document, maker);
  for (const operation of maker.operations())
    it(`of ${operation.id} is forced, with each of its examples, and nothing is read or written`, async () => {
      const before = store.toImage();
      const path = operation.path.replaceAll(/\{\w+\}/g, 'x');
      const { statuses, definition } = contract.operations.get(operation.id) ?? {};
      assert.ok(statuses && definition);
      for (const status of statuses) {
        const { content } = resolve(contract.document, membersOf(definition['responses'])[String(status)]);
        const ofTypes = Object.entries(membersOf(content)).flatMap(([type, media]) =>
          Object.keys(membersOf(membersOf(media)['examples'])).map((name) => [type, name] as const),
        );
        assert.ok(ofTypes.length > 0 || content === undefined, `${status} has an example`);
        for (const [type, name] of [[undefined, undefined] as const, ...ofTypes]) {
          const preferences = `code=${status}${name === undefined ? '' : `, example=${name}`}`;
          const { method } = operation;
          const headers = type === undefined ? {} : { accept: type };
          const reply = await prefer(preferences, { method, path, headers });
          assert.deepEqual(check({ operation, method }, reply), [], preferences);
          assert.equal(reply.status, status);
          assert.equal(reply.headers['preference-applied'], preferences);
          assert.equal(reply.text === '', content === undefined);
          if (type !== undefined) assert.equal(reply.headers['content-type'], type);
        }
      }
      assert.deepEqual(store.toImage(), before);
    });
});

describe('Prefer', () => {
  const big = '9007199254740993';
  const cases: readonly (readonly [
    value: string,
    status: number,
    applied: string | undefined,
    options?: RequestOptions,
  ])[] = [
    ['code=418', 404, undefined],
    ['code=409', 404, undefined],
    ['code=0200, code=200', 404, undefined],
    ['code=+12, example=__proto__, example=toString, delay=10001, delay=-1, cut=no, wait=9, dynamic', 404, undefined],
    ['example=tagged', 200, 'example=tagged'],
    ['example=store_failed', 503, 'example=store_failed'],
    ['code=503, example=tagged', 503, 'code=503'],
    ['example=nothing, code="412"', 412, 'code=412'],
    ['code=200', 200, 'code=200', { path: '/', headers: { accept: 'text/html' } }],
    ['delay=0', 404, 'delay=0'],
    ['delay=1, code=500', 500, 'code=500, delay=1'],
    ['code=304', 304, 'code=304', { method: 'HEAD' }],
    // Nothing of the request is checked, but that it has a token and is within the rate.
    ['code=409', 409, 'code=409', { body: '{', headers: { accept: 'image/png', expect: 'x' } }],
    ['code=200', 200, 'code=200', { path: `/plants/${big}${big}?x=%00` }],
    ['code=404', 404, undefined, { path: '/nothing' }],
    ['code=400', 405, undefined, { method: 'POST' }],
  ];
  for (const [value, status, applied, { path = '/plants/7', ...options } = {}] of cases)
    it(`${value} is ${status} to ${options.method ?? ''} ${path}`, async () => {
      const isPost = options.body !== undefined;
      const reply = await prefer(value, { ...options, path: isPost ? '/plants' : path });
      assert.deepEqual([reply.status, reply.headers['preference-applied']], [status, applied]);
    });

  it('comes in several fields, and is limited as all of them', async () => {
    const headers = { prefer: ['example=plant_unknown', 'code=404'] };
    const reply = await request(service, { path: '/plants/7', headers });
    assert.equal(reply.headers['preference-applied'], 'code=404, example=plant_unknown');
    assert.equal((await prefer(`code=404, ${'a,'.repeat(100_000)}`)).status, 431);
  });

  it('decides nothing before the token and the rate do', async () => {
    const clock = { now: () => 0, elapsed: () => 0 };
    const closed = await start({
      ...sandbox,
      principals: new Authenticator(store.tokens, clock, () => undefined),
    });
    const rated = await start({
      ...sandbox,
      rateLimiter: new RateLimiter({ requestsMax: 1, periodMs: 1 }, 'token', () => 0),
    });
    const asked = { path: '/plants/7', headers: { prefer: 'code=500' } };
    assert.equal((await request(closed, asked)).status, 401);
    assert.deepEqual([(await request(rated, asked)).status, (await request(rated, asked)).status], [500, 429]);
  });

  it('without a code needs the scope of the operation', async () => {
    const asked = { path: '/webhooks', headers: { prefer: 'delay=1, cut' } };
    const reply = await request(service, asked);
    assert.deepEqual([reply.status, reply.headers['preference-applied']], [403, undefined]);
  });

  it('is nothing to an ordinary service', async () => {
    const reply = await request(ordinary, { path: '/plants/7', headers: { prefer: 'code=500, cut' } });
    assert.deepEqual([reply.status, reply.headers['preference-applied']], [404, undefined]);
  });
});

describe('delay', () => {
  interface Waiting {
    readonly response: ServerResponse;
    readonly socket: Socket;
    readonly found: Promise<string>;
  }

  function toWaiting(forced: ForcedAnswers, value: string, network = 'one'): Waiting {
    const message = new IncomingMessage(new Socket());
    Object.assign(message.headers, { prefer: value, network });
    const response = new ServerResponse(message);
    const operation = contract.operations.get('getPlant');
    assert.ok(operation);
    const preferred = forced.find(message, operation);
    assert.ok(preferred);
    const found = preferred.apply({ request: message, response, isCut: false }).then(
      () => String(response.getHeader('preference-applied')),
      (error: unknown) => (error as Error).name,
    );
    return { response, socket: message.socket, found };
  }

  function open(t: TestContext) {
    const pass = stopClock(t, { apis: ['setTimeout'] });
    const shutdown = new AbortController();
    const findNetwork = ({ headers }: IncomingMessage): string => String(headers['network']);
    return { forced: new ForcedAnswers({ contract, shutdown: shutdown.signal, findNetwork }), shutdown, pass };
  }

  it('waits for as long as it says', async (t) => {
    const { forced, pass } = open(t);
    let isDone = false;
    const { found } = toWaiting(forced, 'delay=10000');
    void found.then(() => (isDone = true));
    pass(9_999);
    await new Promise(setImmediate);
    assert.equal(isDone, false);
    pass(1);
    assert.equal(await found, 'delay=10000');
  });

  it('ends when the client leaves, and when the service shuts down', async (t) => {
    const { forced, shutdown } = open(t);
    const left = toWaiting(forced, 'delay=10000');
    const stays = toWaiting(forced, 'delay=10000, code=404');
    left.response.destroy();
    assert.equal(await left.found, 'ClientGoneError');
    const mayHaveLeft = toWaiting(forced, 'delay=10000, code=404');
    mayHaveLeft.socket.emit('end');
    assert.equal(await mayHaveLeft.found, 'code=404');
    shutdown.abort();
    assert.equal(await stays.found, 'code=404');
    assert.equal(await toWaiting(forced, 'delay=10000, code=404').found, 'code=404');
  });

  it('is for 2,000 requests at once, 500 of them of one network', async (t) => {
    const { forced, pass } = open(t);
    const asked = 'delay=5, code=404';
    const ofOne = (network: string): Waiting[] => Array.from({ length: 500 }, () => toWaiting(forced, asked, network));
    const all = ofOne('one');
    assert.equal(await toWaiting(forced, asked, 'one').found, 'code=404');
    all.push(...['two', 'three', 'four'].flatMap(ofOne));
    assert.equal(await toWaiting(forced, asked, 'five').found, 'code=404');
    pass(5);
    assert.deepEqual(new Set(await Promise.all(all.map(({ found }) => found))), new Set(['code=404, delay=5']));
    const next = toWaiting(forced, asked, 'one');
    pass(5);
    assert.equal(await next.found, 'code=404, delay=5');
  });
});

describe('cut', () => {
  interface Received {
    readonly head: string;
    readonly content: string;
    readonly end: string | undefined;
  }

  /** Sends a request whose connection is cut; resolves to all that came before. */
  function receive(line: string, preferences: string, body = ''): Promise<Received> {
    const socket = connect(service.port, '127.0.0.1');
    const fields = [
      'Host: a',
      'Connection: close',
      'Authorization: Bearer sandbox-12345678',
      'Content-Type: application/json',
      `Prefer: ${preferences}`,
    ];
    socket.write([`${line} HTTP/1.1`, ...fields, `Content-Length: ${body.length}`, '', body].join('\r\n'));
    let text = '';
    let end: string | undefined;
    socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => (end = code));
    return new Promise((resolve) => {
      socket.on('close', () => {
        const at = text.indexOf('\r\n\r\n') + 4;
        resolve({ head: text.slice(0, at), content: text.slice(at), end });
      });
    });
  }

  const cases: readonly (readonly [line: string, preferences: string, head: RegExp, half: RegExp])[] = [
    ['GET /plants/7', 'cut, code=200', /^HTTP\/1.1 200 [^]*\ncontent-length: 42\r\n/, /^\{"id":7,"name":"Monst$/],
    ['HEAD /plants/7', 'cut, code=200', /^HTTP\/1.1 200 [^]*\ncontent-length: 42\r\n/, /^$/],
    ['DELETE /plants/7', 'code=204, cut', /^HTTP\/1.1 204 [^]*\npreference-applied: code=204, cut\r\n/, /^$/],
    ['GET /plants/8', 'cut', /^HTTP\/1.1 404 [^]*\npreference-applied: cut\r\n/, /^\{"error":40402,[^}]+$/],
    [
      'GET /plants/export',
      'cut',
      /^HTTP\/1.1 200 [^]*\nTransfer-Encoding: chunked\r\n/,
      /^\w+\r\n\{"id":-?\d+,[^]*[^\n]\r\n$/,
    ],
  ];
  for (const [line, preferences, head, half] of cases)
    it(`${line} with ${preferences} ends after the head and half of the content`, async () => {
      for (let id = 1n; id < 4n; id += 1n) await store.plants.create({ id, name: 'a plant' });
      const received = await receive(line, preferences);
      assert.match(received.head, head);
      assert.match(received.content, half);
      assert.equal(received.end, 'ECONNRESET');
    });

  it('loses the response to a write that was made, and not to one with a code', async () => {
    const body = '{"id":-9,"name":"a"}';
    assert.equal((await receive('POST /plants', 'cut, code=200', body)).end, 'ECONNRESET');
    assert.equal(await store.plants.find(-9n), undefined);
    assert.equal((await receive('POST /plants', 'cut', body)).end, 'ECONNRESET');
    const again = await request(service, { body });
    assert.equal(again.headers['idempotent-replayed'], 'true');
  });
});
