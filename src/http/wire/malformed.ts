/** Replies to input that Node's parser refuses, with the usual Error shape, to the socket. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import { connectionOf } from './connection.ts';
import { nodeHttp } from './node-http.ts';
import { toErrorReply, toFields } from './reply.ts';
import { toRequestId } from './request-ids.ts';

/** Node's error codes that mean more than malformed (nodejs.org/api/http.html, clientError). */
const codeOfParserError = new Map<string, ErrorCode>([
  ['HPE_PAUSED_H2_UPGRADE', 'version_unsupported'],
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'body_too_large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
]);

/** Error codes where everything else in the request line is valid. */
const codeOfRequestLine = new Map<string, ErrorCode>([
  ['HPE_INVALID_METHOD', 'method_unknown'],
  ['HPE_INVALID_VERSION', 'version_unsupported'],
]);
const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ [^ ]+ HTTP\/\d\.\d\r?$/;
/** The end of a body in front of a request line. */
const bodyEnd = /^[^ ]*[^!#$%&'*+.^_`|~0-9A-Za-z -]/;

/** Bytes after the last request of a connection: not a request (RFC 9112, section 9.6). */
const surplusError = 'HPE_CLOSED_CONNECTION';

/** nodejs.org/api/http.html, event clientError. */
interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

export interface MalformedDeps {
  /** Adds the fields of CORS. */
  readonly addFields: (headers: Record<string, string>, origin: string | undefined) => Record<string, string>;
  readonly onRefused: (requestId: string, refusal: ServiceError, socket: Socket) => void;
}

/** What Node has parsed of a refused head is lost. */
const originLine = /\r\norigin:[ \t]*([^\r\n]*?)[ \t]*\r\n/i;
const requestIdLine = /\r\nx-request-id:[ \t]*([^\r\n]*?)[ \t]*\r\n/i;
/** The reply has no content then. The method of a head that came in parts is not known. */
const headRequest = /^(?:\r\n)*HEAD /;

export function replyToMalformed(server: Server, deps: MalformedDeps): void {
  server.on('clientError', (error: ParserError, stream) => {
    // Node types it as a stream, for servers with other transports.
    const socket = stream as unknown as Socket;
    const connection = connectionOf(socket);
    // After a reset, or without a byte of a request, nobody waits for a reply.
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && connection.isStreaming) return;
    else if (connection.dropInput() && error.code !== surplusError) {
      connection.afterReplies(() => {
        if (!connection.isAnswered) socket.write(toBytes(error, socket, deps));
        connection.endGently();
      });
    }
  });
}

function toErrorCode({ code = '', rawPacket, bytesParsed }: ParserError): ErrorCode {
  const refused = codeOfRequestLine.get(code);
  if (refused !== undefined && rawPacket !== undefined && isInRequestLine(rawPacket, bytesParsed ?? 0)) return refused;
  return codeOfParserError.get(code) ?? 'request_malformed';
}

/** Returns whether the parser stopped in a line that is otherwise a request line. */
function isInRequestLine(packet: Buffer, position: number): boolean {
  const start = packet.subarray(0, position).lastIndexOf(0x0a) + 1;
  const end = packet.indexOf(0x0a, start);
  const line = packet.toString('latin1', start, end === -1 ? start : end);
  const [before = ''] = bodyEnd.exec(line.slice(0, position - start)) ?? [];
  return requestLine.test(line.slice(before.length));
}

function toBytes(error: ParserError, socket: Socket, { addFields, onRefused }: MalformedDeps): string {
  const refusal = new ServiceError(toErrorCode(error));
  const { status, headers, body } = toErrorReply(refusal);
  const text = String(body);
  const packet = error.rawPacket?.toString('latin1') ?? '';
  const requestId = toRequestId(requestIdLine.exec(packet)?.[1]);
  onRefused(requestId, refusal, socket);
  const fields = {
    ...addFields(toFields(headers, requestId, socket), originLine.exec(packet)?.[1]),
    date: new Date().toUTCString(),
    connection: 'close',
    'content-length': String(Buffer.byteLength(text)),
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const last = packet.slice(0, error.bytesParsed).split('\r\n\r\n').at(-1) ?? '';
  return `HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status] ?? ''}\r\n${head.join('')}\r\n${headRequest.test(last) ? '' : text}`;
}
