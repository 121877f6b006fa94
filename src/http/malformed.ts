/**
 * Answers for what Node's parser refuses, which never becomes a request: written to the socket as bytes, with the same Error shape as all others.
 * Which requests are refused is the parser's matter (limits: server.ts).
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, ServiceError } from '../domain/errors.ts';
import { toErrorAnswer } from './reply.ts';

/** Node's error codes (nodejs.org/api/http.html, event clientError) that mean something other than malformed. */
const codeOfParserError = new Map<string, ErrorCode>([
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'body_too_large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
]);

/** How long a refused client may take to read its answer before the connection is cut, in milliseconds. */
const lingerMs = 1_000;

/** Makes the server answer what its parser refuses, and requests to tunnel, which it does not serve. */
export function answerMalformed(server: Server): void {
  const refused = new WeakSet<Duplex>();
  const refuse = (socket: Duplex, code: ErrorCode): void => {
    if (refused.has(socket)) return;
    refused.add(socket);
    whenAnswered(socket, () => writeAndEnd(socket, new ServiceError(code)));
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A connection that was reset, or never sent a byte of a request, has nobody waiting for an answer.
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, codeOfParserError.get(error.code ?? '') ?? 'request_malformed');
  });
  server.on('connect', (_request, socket) => refuse(socket, 'method_not_allowed'));
}

/** Calls back once the answers to earlier requests of the connection are out, so that none is taken for another's. */
function whenAnswered(socket: Duplex, callback: () => void): void {
  const response = (socket as Duplex & { _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null })
    ._httpMessage;
  // An answer not yet begun, to the very request that is malformed, is replaced.
  if (response === null || response === undefined || (!response.req.complete && !response.headersSent)) callback();
  else response.once('close', () => whenAnswered(socket, callback));
}

function writeAndEnd(socket: Duplex, error: ServiceError): void {
  const { status, headers, body } = toErrorAnswer(error);
  const text = String(body);
  const fields = {
    ...headers,
    date: new Date().toUTCString(),
    connection: 'close',
    'content-length': String(Buffer.byteLength(text)),
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head.join('')}\r\n${text}`);
  // Closing while bytes are still coming in would reset the connection, and the answer could be lost.
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
