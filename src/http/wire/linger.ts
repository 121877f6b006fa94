/**
 * Closes a connection on which the client is still sending; drops a bounded amount of input, so that a reset does not lose the reply.
 * When a connection has to end is not decided here.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long a client may take to read its last answer and to close, in milliseconds. */
const lingerMs = 1_000;
/** Most bytes that are still taken from a refused client, to be dropped: what one has typically under way when its answer reaches it. */
const dropBytesMax = 1_048_576;
/** Longest rest of an answered body, in bytes, that is read so that its connection can be used again: the default longest body. */
const keepBytesMax = 65_536;

const ending = new WeakSet<Socket>();
const dropping = new WeakSet<Socket>();
const answered = new WeakMap<Socket, IncomingMessage>();

/** From now on nothing of this connection is parsed. False when that was so already. */
export function dropInput(socket: Socket): boolean {
  if (dropping.has(socket)) return false;
  dropping.add(socket);
  // Node takes its parser off the socket when another listener asks for the bytes.
  socket.removeAllListeners('data');
  let bytesLeft = dropBytesMax;
  socket.on('data', (chunk: Buffer) => {
    bytesLeft -= chunk.length;
    // Bytes that are not read fill the windows of both sides, and then the client has to wait.
    if (bytesLeft < 0) socket.pause();
  });
  socket.resume();
  return true;
}

/** Ends a connection after what was written to it: the client sees the end at once, and may read its answer before it is cut. */
export function endGently(socket: Socket): void {
  dropInput(socket);
  socket.end();
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut));
}

/** Resets a connection whose reply cannot be completed: to HTTP/1.0 one that merely ends looks complete. */
export function cut(socket: Socket): void {
  if (socket.destroyed || 'encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}

/** Whether the connection can carry a further request, once what is left of this one has been read and dropped. */
export function canStayOpen(request: IncomingMessage): boolean {
  if (request.complete) return true;
  const { headers, socket } = request;
  const length = Number(headers['content-length'] ?? 0);
  if (length === 0 && headers['transfer-encoding'] === undefined) return true;
  // A client that waits for 100 Continue may send its body or leave it out; only a new connection makes clear which.
  if (headers.expect !== undefined || headers['transfer-encoding'] !== undefined || length > keepBytesMax) return false;
  answered.set(socket, request);
  return true;
}

/** Whether what is being read is the rest of a request that has been answered: it gets no second answer, whatever it holds. */
export function isAnswered(socket: Socket): boolean {
  return answered.get(socket)?.complete === false;
}

/** Whether the last answer of the connection has been given: what was pipelined behind it is no request any more (RFC 9112, section 9.6). */
export function isEnding(socket: Socket): boolean {
  return ending.has(socket);
}

/** Sends the content of an answer whose head is written, as the last of its connection. */
export function sendLast(response: ServerResponse, body: string | Uint8Array | undefined): void {
  ending.add(response.req.socket);
  // Not `response.end()`: Node would cut the connection as soon as the bytes have left.
  response.flushHeaders();
  response.write(body ?? '', () => {
    if (response.socket === null) response.end();
    else endGently(response.socket);
  });
}
