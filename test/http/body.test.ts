/** Reading a body whose client has left. Limits, encodings and values are tested with the operations. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { ClientGoneError, readJson } from '../../src/http/wire/body.ts';
import { listen } from '../support/listen.ts';

const server = createServer();
const port = await listen({ after }, server);

/** Sends the beginning of a request. */
async function begin(): Promise<[IncomingMessage, ServerResponse]> {
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"id":');
  return asked;
}

describe('readJson()', () => {
  it('rejects when the connection closes within the body', async () => {
    const [request, response] = await begin();
    const reading = readJson(request, response, 1_000);
    request.socket.destroy();
    await assert.rejects(reading, ClientGoneError);
  });

  it('rejects a request whose connection has closed before', async () => {
    const [request, response] = await begin();
    request.on('error', () => undefined).destroy();
    await once(request, 'close');
    await assert.rejects(readJson(request, response, 1_000), ClientGoneError);
  });
});
