/** Flow control of long bodies, without a service: backpressure, and no clean end for incomplete ones. Uses doubles for a stuck store. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, it, type TestContext } from 'node:test';
import { type ErrorCode, ServiceError } from '../../src/domain/errors.ts';
import type { NewPlant } from '../../src/domain/schemas.ts';
import type { PlantStore, RowOutcome, Store } from '../../src/domain/store.ts';
import type { Call } from '../../src/http/operations/call.ts';
import { importPlants } from '../../src/http/operations/import.ts';
import { Backlog } from '../../src/http/wire/backlog.ts';
import { type Connection, connectionOf } from '../../src/http/wire/connection.ts';
import { type ContentStream, sendStream } from '../../src/http/wire/send-stream.ts';
import { listen } from '../support/listen.ts';

const serve = (context: TestContext, listener: RequestListener): Promise<number> =>
  listen(context, createServer(listener));

/** Reads until the connection ends; returns the bytes and how it ended. */
async function receive(
  port: number,
  version: string,
  te = 'trailers',
): Promise<{ readonly text: string; readonly isReset: boolean }> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET / HTTP/${version}\r\nHost: a\r\nTE: ${te}\r\nConnection: TE, close\r\n\r\n`);
  let text = '';
  let isReset = false;
  socket.on('data', (bytes) => (text += bytes.toString('latin1')));
  socket.on('error', () => (isReset = true));
  await new Promise((resolve) => socket.on('close', resolve));
  return { text, isReset };
}

const backlog = new Backlog();
const trailer = { trailer: 'Plants-Exported' };

describe('Connection', () => {
  it('knows who waits: the client while something of its body is not read, then the service for the rest', async (context) => {
    const begun = Promise.withResolvers<IncomingMessage>();
    const port = await serve(context, (request, response) =>
      connectionOf(request.socket).enter(request, response, () => begun.resolve(request), backlog),
    );
    const client = connect(port, '127.0.0.1', () =>
      client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na'),
    );
    const request = await begun.promise;
    await once(request, 'readable');
    assert.equal(connectionOf(request.socket).isAwaited, true, 'a part is not read');
    request.read();
    assert.equal(connectionOf(request.socket).isAwaited, false, 'the rest is not sent');
    client.write('b');
    await once(request.resume(), 'end');
    assert.equal(connectionOf(request.socket).isAwaited, true, 'there is no reply');
  });
});

describe('Backlog', () => {
  /** Half of the bytes that it takes for all connections. */
  const half = 33_554_432;

  /** Connections of the service, all open. */
  async function openConnections(context: TestContext, count: number): Promise<Connection[]> {
    const connections: Connection[] = [];
    const server = createTcpServer((socket) => connections.push(connectionOf(socket.on('error', () => undefined))));
    const port = await listen(context, server);
    while (connections.length < count) {
      const accepted = once(server, 'connection');
      connect(port, '127.0.0.1').on('error', () => undefined);
      await accepted;
    }
    return connections;
  }
  const areDestroyed = (connections: readonly Connection[]): boolean[] =>
    connections.map(({ socket }) => socket.destroyed);

  it('resets the connection that has been slow the longest, and only that, once there are too many bytes', async (context) => {
    const limited = new Backlog();
    const connections = await openConnections(context, 4);
    const [one, two, three, four] = connections;
    assert.ok(one && two && three && four);
    limited.hold(one, half);
    limited.hold(two, half);
    assert.deepEqual(areDestroyed(connections), [false, false, false, false]);
    limited.hold(three, half);
    // Those of the first do not count any more.
    limited.release(two, 1);
    limited.hold(four, 1);
    assert.deepEqual(areDestroyed(connections), [true, false, false, false]);
  });

  it('spares a connection that holds little, however long it has been slow', async (context) => {
    const limited = new Backlog();
    const connections = await openConnections(context, 4);
    const [small, ...large] = connections;
    assert.ok(small);
    limited.hold(small, 65_536);
    for (const connection of large) limited.hold(connection, half);
    assert.deepEqual(areDestroyed(connections), [false, true, true, false]);
  });

  it('pauses the connections that are slow while others are reset, and resumes them', async (context) => {
    const limited = new Backlog();
    const [one, two] = await openConnections(context, 2);
    assert.ok(one && two);
    two.socket.resume();
    limited.hold(one, half + 1);
    limited.hold(two, half);
    assert.equal(two.socket.isPaused(), true);
    while (two.socket.isPaused()) await setImmediate();
  });

  it('counts nothing for a connection that is closed', async (context) => {
    const limited = new Backlog();
    const [one, two] = await openConnections(context, 2);
    assert.ok(one && two);
    limited.hold(one, half);
    one.socket.destroy();
    await once(one.socket, 'close');
    limited.hold(two, half);
    limited.hold(one, half);
    limited.hold(two, half);
    assert.equal(two.socket.destroyed, false);
    // There are none to release.
    limited.release(one, half);
    limited.hold(two, 1);
    assert.equal(two.socket.destroyed, true);
  });
});

describe('sendStream', () => {
  const complete = async function* (): ContentStream {
    yield await Promise.resolve('abc');
    return { 'plants-exported': '1' };
  };
  const broken = async function* (): ContentStream {
    yield await Promise.resolve('abc');
    await setImmediate();
    throw new Error('cut');
  };

  it('ends complete content with the last chunk and the trailer', async (context) => {
    const port = await serve(context, (request, response) => {
      void sendStream(request, response, 200, trailer, { stream: complete(), backlog });
    });
    assert.match((await receive(port, '1.1')).text, /\r\n3\r\nabc\r\n0\r\nplants-exported: 1\r\n\r\n$/);
    assert.match((await receive(port, '1.0')).text, /\r\n\r\nabc$/);
  });

  for (const te of ['', 'gzip', 'deflate, Trailers', 'x-trailers']) {
    const isWanted = te.includes('Trailers');
    it(`${isWanted ? 'sends the' : 'sends no'} trailer to a client that sends "TE: ${te}"`, async (context) => {
      const port = await serve(context, (request, response) => {
        void sendStream(request, response, 200, trailer, { stream: complete(), backlog });
      });
      const { text } = await receive(port, '1.1', te);
      assert.equal(text.includes('\r\ntrailer: Plants-Exported\r\n'), isWanted);
      assert.equal(text.endsWith('\r\n3\r\nabc\r\n0\r\n\r\n'), !isWanted);
    });
  }

  for (const version of ['1.1', '1.0']) {
    it(`resets on failure, so that the content never looks complete over HTTP/${version}`, async (context) => {
      const failed = Promise.withResolvers<unknown>();
      const port = await serve(context, (request, response) => {
        sendStream(request, response, 200, trailer, { stream: broken(), backlog }).catch(failed.resolve);
      });
      const { text, isReset } = await receive(port, version);
      assert.ok(isReset, 'the connection was ended as if all were well');
      assert.doesNotMatch(text, /\r\n0\r\n/);
      assert.match(String(await failed.promise), /cut/);
    });
  }

  it('waits once for the end of a connection, however often its client is slow', async (context) => {
    const added = Promise.withResolvers<number>();
    const port = await serve(context, ({ socket }, response) => {
      const before = socket.listenerCount('close');
      for (let time = 0; time < 20; time++) {
        backlog.hold(connectionOf(socket), 1);
        backlog.release(connectionOf(socket), 1);
      }
      added.resolve(socket.listenerCount('close') - before);
      response.end();
    });
    await receive(port, '1.1');
    assert.equal(await added.promise, 1);
  });

  it('makes only what the client takes, and releases the stream when it disconnects', async (context) => {
    let made = 0;
    const freed = Promise.withResolvers<undefined>();
    const endless = async function* (): ContentStream {
      try {
        for (;;) {
          made += 1;
          yield await Promise.resolve('x'.repeat(65_536));
        }
      } finally {
        freed.resolve(undefined);
      }
    };
    const sent = Promise.withResolvers<undefined>();
    const port = await serve(context, (request, response) => {
      sendStream(request, response, 200, {}, { stream: endless(), backlog }).then(
        () => sent.resolve(undefined),
        sent.reject,
      );
    });
    const socket = connect(port, '127.0.0.1').pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    // Stops once the buffers of both sides are full.
    for (let last = -1, turns = 0; made !== last || made === 0 || turns < 50; turns = made === last ? turns + 1 : 0) {
      last = made;
      await setImmediate();
    }
    assert.ok(made < 500, `${made} chunks of 64 KiB were made for a client that reads none`);
    socket.destroy();
    await freed.promise;
    await sent.promise;
  });
});

/** Returns a call whose rows are ids. */
function callOf(
  chunks: AsyncIterable<Buffer>,
  onHalfClosed: Call<'importPlants'>['onHalfClosed'] = () => undefined,
): Call<'importPlants'> {
  const parseRow = (id: unknown): NewPlant => ({ id: id as bigint, name: '' });
  return {
    parameters: { onConflict: 'fail', dryRun: false },
    body: { mediaType: 'application/x-ndjson', chunks, parseRow },
    principal: { tokenId: 'abcdefghijkl', name: 'till', limitKey: 'abcdefghijkl', scopes: new Set() },
    isAllowed: () => Promise.resolve(true),
    onGone: () => undefined,
    onHalfClosed,
  } as unknown as Call<'importPlants'>;
}

/** Returns a store that supports only import. */
function storeOf(importRows: PlantStore['import'], bulkRows = 500): Store {
  return { plants: { import: importRows, bulkRows: () => bulkRows } } as unknown as Store;
}

const { signal } = new AbortController();
const created = (rows: readonly unknown[]): RowOutcome[] => rows.map(() => 'created');

describe('importPlants', () => {
  it('stops reading while two chunks wait for the store', async () => {
    let read = 0;
    const chunks = (async function* () {
      for (; read < 10_000; read++) yield Promise.resolve(Buffer.from('1\n'.repeat(100)));
    })();
    const stuck = Promise.withResolvers<readonly RowOutcome[]>();
    let waiting = 0;
    const store = storeOf((rows) => {
      waiting += 1;
      return waiting === 1 ? stuck.promise : Promise.resolve(created(rows));
    });
    const answer = importPlants(callOf(chunks), store, signal);
    for (let turn = 0; turn < 1_000; turn++) await setImmediate();
    assert.equal(waiting, 1);
    assert.ok(read >= 9 && read <= 10, `${read} chunks of 100 rows were read`);
    stuck.resolve(Array.from({ length: 500 }, () => 'created'));
    assert.match(String((await answer).body), /^\{"read":1000000,"created":1000000,/);
  });

  it('retries while the store is busy, in order', async () => {
    const stored: bigint[] = [];
    let tries = 0;
    const store = storeOf(async (rows) => {
      tries += 1;
      await setImmediate();
      if (tries % 3 !== 0) throw new ServiceError('store_busy');
      stored.push(...rows.map(({ id }) => id));
      return created(rows);
    });
    const ids = Array.from({ length: 2_000 }, (_, index) => BigInt(index));
    const chunks = (async function* () {
      yield await Promise.resolve(Buffer.from(ids.map((id) => `${id}\n`).join('')));
    })();
    await importPlants(callOf(chunks), store, signal);
    assert.deepEqual(stored, ids);
    assert.equal(tries, 12);
  });

  it('stores as many rows at once as the store wants', async () => {
    const sizes: number[] = [];
    const chunks = (async function* () {
      yield await Promise.resolve(Buffer.from('1\n'.repeat(150)));
    })();
    const store = storeOf((rows) => {
      sizes.push(rows.length);
      return Promise.resolve(created(rows));
    }, 64);
    await importPlants(callOf(chunks), store, signal);
    assert.deepEqual(sizes, [64, 64, 22]);
  });

  it('does not wait for a busy store once its client may have gone', async () => {
    const half = Promise.withResolvers<undefined>();
    let tries = 0;
    const store = storeOf(() => {
      tries += 1;
      half.resolve(undefined);
      return Promise.reject(new ServiceError('store_busy'));
    });
    const chunks = (async function* () {
      yield await Promise.resolve(Buffer.from('1\n'));
    })();
    const call = callOf(chunks, (listener) => void half.promise.then(listener));
    await assert.rejects(importPlants(call, store, signal), { code: 'store_busy' });
    assert.ok(tries <= 2, `${tries} tries`);
  });

  const ends: readonly (readonly [code: ErrorCode, chunksBefore: number, detail: RegExp])[] = [
    ['store_full', 0, /\. No row was stored; sending the import again finishes it$/],
    ['store_failed', 0, /\. The first rows may be stored; sending the import again finishes it$/],
    ['store_full', 2, /\. The rows up to line 1000 of this request are done; sending the import again finishes it$/],
    [
      'store_unavailable',
      2,
      /^The database cannot be reached now\. The rows up to line 1000 of this request are done; sending/,
    ],
    ['store_failed', 1, /\. The rows up to line 500 of this request are done; sending the import again finishes it$/],
  ];
  for (const [code, chunksBefore, detail] of ends) {
    it(`reports its progress when the store throws ${code} after ${chunksBefore} chunks`, async () => {
      let storedChunks = 0;
      const store = storeOf(async (rows) => {
        await setImmediate();
        if (storedChunks++ === chunksBefore) throw new ServiceError(code);
        return created(rows);
      });
      let isFreed = false;
      const chunks = (async function* () {
        try {
          for (;;) yield await Promise.resolve(Buffer.from('7\n'.repeat(300)));
        } finally {
          isFreed = true;
        }
      })();
      await assert.rejects(importPlants(callOf(chunks), store, signal), (error) => {
        assert.ok(error instanceof ServiceError);
        assert.equal(error.code, code);
        assert.match(error.message, detail);
        return true;
      });
      assert.ok(isFreed);
      assert.equal(storedChunks, chunksBefore + 1);
    });
  }
});
