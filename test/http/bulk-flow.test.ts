/** Flow control of long replies, without a service: backpressure, and no clean end for incomplete ones. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, it, type TestContext } from 'node:test';
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

  it('discards 1 MiB of what a refused client still sends, and reads no more', async (context) => {
    const server = createTcpServer();
    const port = await listen(context, server);
    const client = connect(port, '127.0.0.1', () => client.end(Buffer.alloc(16 * 1_048_576)));
    client.on('error', () => undefined);
    const [socket] = (await once(server, 'connection')) as [Socket];
    connectionOf(socket).dropInput();
    await Promise.race([once(socket, 'pause'), once(socket, 'end')]);
    assert.ok(socket.bytesRead > 1_048_576 && socket.bytesRead < 2 * 1_048_576, `${socket.bytesRead} bytes`);
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
    // The bytes of the first request do not count any more.
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
