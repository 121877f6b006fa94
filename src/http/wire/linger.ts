/** Closes a connection whose client still sends: some input is discarded to save the reply. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Time for a client to read its last reply and close, in milliseconds. */
const lingerMs = 1_000;
/** Maximum bytes to discard from a refused client: what is typically in transit. */
const dropBytesMax = 1_048_576;
/** Maximum rest of a body to read to keep its connection, in bytes: the default body limit. */
const keepBytesMax = 65_536;

const ending = new WeakSet<Socket>();
const dropping = new WeakSet<Socket>();
const answered = new WeakMap<Socket, IncomingMessage>();

/** Stops parsing this connection's input. Returns false if it already had. */
export function dropInput(socket: Socket): boolean {
  if (dropping.has(socket)) return false;
  dropping.add(socket);
  // Node detaches its parser when another listener reads the socket.
  socket.removeAllListeners('data');
  let bytesLeft = dropBytesMax;
  socket.on('data', (chunk: Buffer) => {
    bytesLeft -= chunk.length;
    // Unread bytes fill both sides' windows and make the client wait.
    if (bytesLeft < 0) socket.pause();
  });
  socket.resume();
  return true;
}

/** Closes a connection after the written bytes: the client can still read its reply. */
export function endGently(socket: Socket): void {
  dropInput(socket);
  socket.end();
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut));
}

/** Resets a connection whose reply is incomplete: over HTTP/1.0 a close would look complete. */
export function cut(socket: Socket): void {
  if (socket.destroyed || 'encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}

/** Returns whether the connection can be reused, after discarding the rest of this request. */
export function canStayOpen(request: IncomingMessage): boolean {
  if (request.complete) return true;
  const { headers, socket } = request;
  const length = Number(headers['content-length'] ?? 0);
  if (length === 0 && headers['transfer-encoding'] === undefined) return true;
  // A client that waits for 100 may send its body or omit it; only a new connection is unambiguous.
  if (headers.expect !== undefined || headers['transfer-encoding'] !== undefined || length > keepBytesMax) return false;
  answered.set(socket, request);
  return true;
}

/** Returns whether the input is the rest of an answered request, which gets no second reply. */
export function isAnswered(socket: Socket): boolean {
  return answered.get(socket)?.complete === false;
}

/** Returns whether the last reply was sent: later input is no request (RFC 9112, section 9.6). */
export function isEnding(socket: Socket): boolean {
  return ending.has(socket);
}

/** Sends the content after a written head, as the last of its connection. */
export function sendLast(response: ServerResponse, body: string | Uint8Array | undefined): void {
  ending.add(response.req.socket);
  // Not `response.end()`: Node would close the connection once the bytes are sent.
  response.flushHeaders();
  response.write(body ?? '', () => {
    if (response.socket === null) response.end();
    else endGently(response.socket);
  });
}
