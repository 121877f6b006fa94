/** The HTTP server: sockets, limits, time-outs and drain. Every limit of the transport is here; what an operation does is not. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { fastify } from 'fastify';
import { type ErrorCode, ServiceError } from '../domain/errors.ts';
import { countField } from './wire/fields.ts';
import { isEnding } from './wire/linger.ts';
import { answerMalformed } from './wire/malformed.ts';
import { nodeHttp } from './wire/node-http.ts';
import { sendAnswer, toErrorAnswer } from './wire/reply.ts';
import { addRoutes, type Edge } from './routes.ts';

export interface TransportLimits {
  /** From the first byte to the end of the header section. */
  readonly headersTimeoutMs: number;
  /** From the first byte to the end of the body. */
  readonly requestTimeoutMs: number;
  /** Between an answer and the next request. */
  readonly keepAliveTimeoutMs: number;
  readonly connectionsMax: number;
}

export interface ServerOptions extends TransportLimits {
  /** PEM texts; absent: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Addresses and networks whose X-Forwarded-* fields are believed. */
  readonly trustedProxies: readonly string[];
}

/** A server that is built, and not yet listening. */
export interface HttpServer {
  /** Resolves to the port once connections are taken. @throws Error when the address cannot be had. */
  listen(host: string, port: number): Promise<number>;
  /**
   * Takes no further connection, lets each open one finish the requests that it has begun, and cuts what is left after `timeoutMs`.
   * Resolves, once no connection is left, to whether any was cut.
   */
  drain(timeoutMs: number): Promise<boolean>;
}

/** Request line and header fields together, in bytes: Node's own default, written down. */
const headerBytesMax = 16_384;
/** Most header fields of a request. Node would drop a surplus in silence, an Authorization field perhaps. */
const headerFieldsMax = 100;
/** How often connections are held against their time-outs, in milliseconds. */
const timeoutCheckMs = 1_000;
/** How much longer than the other time-outs no byte may move in either direction, in milliseconds; then a reader has stalled, and is cut. */
const silenceMarginMs = 3_000;
/**
 * How often a server that drains closes idle connections, in milliseconds. Not at once: a client that sends one request after the other is
 * idle only while its next one is on its way, and learns from the answer to that one that it has to go.
 */
const idleCheckMs = 500;
/** A Host field: a name or an address, perhaps a port (RFC 9112, section 3.2). */
const hostPattern = /^(?:[A-Za-z0-9._~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/;

/** Builds the server; it listens when it is told to. */
export async function createServer(options: ServerOptions, edge: Edge): Promise<HttpServer> {
  const server = fastify({
    logger: false,
    exposeHeadRoutes: false,
    // The edge answers while it drains, and closes each connection after its last answer.
    return503OnClosing: false,
    // No shorter bound for a part of the path: one that is no id is refused as such, however long it is.
    routerOptions: { maxParamLength: headerBytesMax },
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    // The contract validates, and reply.ts prints. Given something of ours, the framework does not load compilers of its own.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    // malformed.ts answers; the framework's own handler would answer too, and sooner than earlier requests of the connection.
    clientErrorHandler: () => undefined,
    serverFactory: (listener) => createNodeServer(options, listener),
    frameworkErrors: (_error, request, reply) => {
      // A target that breaks the grammar of URIs is malformed; one that only names bytes which are no text names nothing here.
      const code: ErrorCode = /%(?![0-9A-Fa-f]{2})/.test(request.url) ? 'request_malformed' : 'path_unknown';
      reply.hijack();
      refuse(request.raw, reply.raw, code);
    },
  });
  // http/body.ts reads bodies: the framework's own reader would come before authentication and decode what is not UTF-8.
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'])
    server.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  server.removeAllContentTypeParsers();
  addRoutes(server, edge);
  await server.ready();
  const connections = trackConnections(server.server);
  return {
    listen: async (host, port) => {
      await server.listen({ host, port });
      return (server.server.address() as AddressInfo).port;
    },
    drain: async (timeoutMs) => {
      const isCut = await drain(server.server, connections, timeoutMs);
      await server.close();
      return isCut;
    },
  };
}

function noCompiler(): never {
  throw new Error('A route has a schema: schemas belong to the contract');
}

async function drain(server: Server, connections: ReadonlySet<Socket>, timeoutMs: number): Promise<boolean> {
  let isCut = false;
  const cut = setTimeout(() => {
    isCut = true;
    for (const socket of connections) socket.destroy();
  }, timeoutMs);
  const closeIdle = setInterval(() => {
    server.closeIdleConnections();
    // Node 24 takes a connection for busy that has not said anything yet.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  }, idleCheckMs);
  // Not the method of the HTTP server: it cuts idle connections at once, and those in which a request is on its way look idle.
  await new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  clearInterval(closeIdle);
  clearTimeout(cut);
  return isCut;
}

/** The open connections. */
function trackConnections(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  return connections;
}

function createNodeServer(options: ServerOptions, listener: RequestListener): Server {
  const settings = {
    maxHeaderSize: headerBytesMax,
    headersTimeout: options.headersTimeoutMs,
    requestTimeout: options.requestTimeoutMs,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    // Checked below, where a fault gets a body.
    requireHostHeader: false,
  };
  const server: Server =
    options.tls === undefined ? nodeHttp.createServer(settings) : createHttpsServer({ ...settings, ...options.tls });
  server.maxHeadersCount = 0;
  server.maxConnections = options.connectionsMax;
  server.setTimeout(Math.max(options.keepAliveTimeoutMs, options.requestTimeoutMs) + silenceMarginMs);
  // A client that has said all it has to say, and closed its side, still gets its answers.
  Object.assign(server, { httpAllowHalfOpen: true });
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (isEnding(request.socket)) return;
    // No protocol is changed to, but Node's parser loses what follows such a wish in the same packet: so its answer is the last.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    const fault = findFault(request);
    if (fault === undefined) listener(request, response);
    else refuse(request, response, fault);
  };
  server.on('request', handle);
  // Both are answered by the ordinary steps: the body is asked for when it is wanted, and an unknown expectation has its place among the errors.
  server.on('checkContinue', handle);
  server.on('checkExpectation', handle);
  answerMalformed(server, handle);
  return server;
}

/** What Node lets pass, although it is no request of HTTP/1.1 or past a limit. */
function findFault({ method, url = '', rawHeaders, headers, httpVersion }: IncomingMessage): ErrorCode | undefined {
  if (rawHeaders.length > 2 * headerFieldsMax) return 'headers_too_large';
  // The router would take the asterisk for the slash of a path; it stands alone, and for OPTIONS (RFC 9112, section 3.2.4).
  if (url.startsWith('*') && (url !== '*' || method !== 'OPTIONS')) return 'request_malformed';
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'request_malformed';
  const coding = headers['transfer-encoding'];
  // Node reads the chunks and passes over further codings, which would leave the content coded; and HTTP/1.0 has no codings.
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0')) return 'request_malformed';
  const hosts = countField(rawHeaders, 'host');
  const isHostRight = hosts === 1 ? hostPattern.test(headers.host ?? '') : hosts === 0 && httpVersion === '1.0';
  return isHostRight ? undefined : 'request_malformed';
}

function refuse(request: IncomingMessage, response: ServerResponse, code: ErrorCode): void {
  const answer = toErrorAnswer(new ServiceError(code));
  sendAnswer(request, response, { ...answer, headers: { ...answer.headers, connection: 'close' } });
}
