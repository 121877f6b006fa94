/**
 * Answers for what Node's parser refuses, which never becomes a request: written to the socket as bytes, with the same Error shape as all others.
 * Which requests are refused is the parser's matter (limits: server.ts).
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import { isStreaming } from './body-stream.ts';
import { dropInput, endGently, isAnswered } from './linger.ts';
import { nodeHttp } from './node-http.ts';
import { toErrorAnswer } from './reply.ts';

/** Node's error codes (nodejs.org/api/http.html, event clientError) that mean something other than malformed. */
const codeOfParserError = new Map<string, ErrorCode>([
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'body_too_large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
]);

/** Bytes behind a request that said it was the last of its connection: they are no request (RFC 9112, section 9.6). */
const surplusError = 'HPE_CLOSED_CONNECTION';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** Makes the server answer what its parser refuses. Requests to tunnel, which Node sets apart, are handed to `handle` like all others. */
export function answerMalformed(server: Server, handle: Handle): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A connection that was reset, or never sent a byte of a request, has nobody waiting for an answer.
    if (!(socket instanceof Socket) || !socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isStreaming(socket)) return;
    else if (dropInput(socket) && error.code !== surplusError) {
      const code = codeOfParserError.get(error.code ?? '') ?? 'request_malformed';
      whenAnswered(socket, () => {
        if (!isAnswered(socket)) socket.write(toBytes(new ServiceError(code)));
        endGently(socket);
      });
    }
  });
  server.on('connect', (request) => {
    const { socket } = request;
    // Node has given the connection away, its listener for errors too; without one a reset would end the process.
    socket.on('error', () => socket.destroy());
    dropInput(socket);
    whenAnswered(socket, () => {
      const response = new nodeHttp.ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket);
      response.once('finish', () => endGently(socket));
      handle(request, response);
    });
  });
}

/** Calls back once the answers to earlier requests of the connection are out, so that none is taken for another's; never, when it closes before. */
function whenAnswered(socket: Socket, callback: () => void): void {
  const response = (socket as Socket & { _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null })
    ._httpMessage;
  if (!socket.writable) return;
  // An answer not yet begun, to the very request that is malformed, is replaced.
  if (response === null || response === undefined || (!response.req.complete && !response.headersSent)) callback();
  else response.once('close', () => whenAnswered(socket, callback));
}

function toBytes(error: ServiceError): string {
  const { status, headers, body } = toErrorAnswer(error);
  const text = String(body);
  const fields = {
    ...headers,
    date: new Date().toUTCString(),
    connection: 'close',
    'content-length': String(Buffer.byteLength(text)),
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status] ?? ''}\r\n${head.join('')}\r\n${text}`;
}
