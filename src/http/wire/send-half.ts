/** Sends half of a reply and resets the connection: what a client sees of a network that fails. */
import type { ServerResponse } from 'node:http';
import { connectionOf } from './connection.ts';
import type { Reply } from './reply.ts';

/**
 * Sends the head and half of the content, of a stream half of its first piece. Resolves once the
 * connection is reset.
 * @throws what the stream throws, after resetting the connection.
 */
export async function sendHalf(response: ServerResponse, { status, headers, body, stream }: Reply): Promise<void> {
  const { socket } = response.req;
  const { trailer: _trailer, ...fields } = headers;
  try {
    const first = stream === undefined ? body : (await stream.next()).value;
    const content = Buffer.from(typeof first === 'string' || first instanceof Uint8Array ? first : '');
    if (response.destroyed) return;
    const length = stream === undefined && body !== undefined ? { 'content-length': content.length } : {};
    response.writeHead(status, { ...fields, ...length });
    response.flushHeaders();
    response.write(content.subarray(0, content.length >> 1));
    // Called once all before it has left.
    await new Promise((resolve) => socket.write('', resolve));
  } finally {
    connectionOf(socket).cut();
    await stream?.return({});
  }
}
