/** The HTTP server: sockets, graceful shutdown, and the limits and time-outs of Node's server. */
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { promisify } from 'node:util';
import type { LogFields } from '../observe/log.ts';
import { StateLine } from '../observe/state-line.ts';
import { type HttpDeps, toRequestListener } from './request-steps.ts';
import { AccessLog, type AccessLogMode } from './steps/access-log.ts';
import { createFindAddress, toTrusted } from './steps/client-address.ts';
import { Backlog } from './wire/backlog.ts';
import { type Connection, connectionOf } from './wire/connection.ts';
import { ignoreUpgrade, serveConnect } from './wire/detached.ts';
import { type MalformedDeps, replyToMalformed } from './wire/malformed.ts';
import { loadHttps, nodeHttp } from './wire/node-http.ts';

export interface TransportLimits {
  /** From the first byte to the end of the header section. */
  readonly headersTimeoutMs: number;
  /** From the first byte to the end of the body. */
  readonly requestTimeoutMs: number;
  /** Between a reply and the next request. */
  readonly keepAliveTimeoutMs: number;
  readonly connectionsMax: number;
}

/** PEM texts. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

export interface ServerOptions extends TransportLimits {
  /** Plain HTTP if absent. */
  readonly tls?: Tls | undefined;
  /** Addresses and networks whose X-Forwarded-* fields are used. */
  readonly trustedProxies: readonly string[];
  readonly accessLog: AccessLogMode;
}

/** A server that does not listen yet. */
export interface HttpServer {
  /**
   * Resolves to the port once it accepts connections.
   * @throws Error if the address is not available.
   */
  listen(host: string, port: number): Promise<number>;
  /** Uses these for new connections. @throws Error if the server has no TLS. */
  renewTls(tls: Tls): void;
  /**
   * Accepts no new connections, completes the requests of open ones, and resets the rest after
   * `timeoutMs`. Resolves, once all are closed, to whether any was reset.
   */
  drain(timeoutMs: number): Promise<boolean>;
  /** Resolves to the number of open connections, their maximum, and how many were refused because of it. */
  countConnections(): Promise<ConnectionCounts>;
}

export interface ConnectionCounts {
  readonly open: number;
  readonly max: number;
  readonly refused: number;
}

/** The target and all header fields together are shorter, in bytes: Node's default, explicit. */
const headerBytesMax = 16_384;
/**
 * Maximum number of connections that wait while the service is busy: what Linux allows by
 * default. With Node's 511 it resets some of a burst, such as when the clients of a proxy come
 * back.
 */
const unacceptedMax = 4_096;
/** Interval of time-out checks, in milliseconds. */
const timeoutCheckMs = 1_000;
/** Extra time, in milliseconds, after which a connection without traffic is a stalled reader. */
const silenceMarginMs = 3_000;
/**
 * Interval at which a draining server closes idle connections, in milliseconds. Not at once: the
 * next request of a busy client may be in transit; its reply then closes the connection.
 */
const idleCheckMs = 500;

/**
 * Builds the server; it does not listen yet.
 * @throws Error if the description and the handlers differ.
 */
export function createServer(
  options: ServerOptions,
  deps: Omit<HttpDeps, 'accessLog' | 'backlog' | 'findAddress'>,
): HttpServer {
  const backlog = new Backlog();
  const isTrusted = toTrusted(options.trustedProxies);
  const accessLog = new AccessLog({ mode: options.accessLog, isTrusted, log: deps.log });
  const serve = toRequestListener({
    ...deps,
    accessLog,
    backlog,
    findAddress: createFindAddress(isTrusted),
  });
  const server = createNodeServer(options, backlog, serve, {
    addFields: (headers, origin) => deps.cors.addTo(headers, origin),
    onRefused: (requestId, refusal, { remoteAddress }) => accessLog.writeRefused(requestId, refusal, remoteAddress),
  });
  const connections = new Set<Connection>();
  const track = (socket: Socket): void => {
    const connection = connectionOf(socket);
    if (connections.has(connection)) return;
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
  };
  // With TLS, a connection has a second socket: the bytes of the handshake count only on the
  // first, those of requests on both.
  server.on('connection', track).on('secureConnection', track);
  const { connectionsMax } = options;
  let refused = 0;
  const noteUnaccepted = toNoteUnaccepted(deps.log);
  server.on('drop', () => {
    refused += 1;
    noteUnaccepted({ connectionsMax });
  });
  return {
    listen: async (host, port) => {
      server.listen({ host, port, backlog: unacceptedMax });
      await once(server, 'listening');
      server.on('error', (error) => noteUnaccepted({ error }));
      return (server.address() as AddressInfo).port;
    },
    renewTls: ({ cert, key }) => {
      if (!(server instanceof loadHttps().Server)) throw new Error('The server has no TLS');
      server.setSecureContext({ cert, key });
    },
    drain: (timeoutMs) => drain(server, connections, timeoutMs),
    countConnections: async () => {
      const open = await promisify(server.getConnections.bind(server))();
      return { open, max: connectionsMax, refused };
    },
  };
}

/** Returns a function to call for each connection that was not accepted: one line, not thousands. */
function toNoteUnaccepted(log: HttpDeps['log']): (fields: LogFields) => void {
  const unaccepted = new StateLine(log, () => performance.now(), {
    began: 'Cannot accept connections',
    ended: 'Connections have been accepted for a minute',
    quietMs: 60_000,
  });
  return (fields) => {
    unaccepted.note(fields);
    unaccepted.end();
  };
}

async function drain(server: Server, connections: ReadonlySet<Connection>, timeoutMs: number): Promise<boolean> {
  let isCut = false;
  const late = setTimeout(() => {
    isCut = true;
    // Over HTTP/1.0, a connection that merely closes makes a reply look complete.
    for (const connection of connections) connection.cut();
  }, timeoutMs);
  const closeIdle = setInterval(() => {
    server.closeIdleConnections();
    // Node 24 counts a connection without any data as busy.
    for (const { socket } of connections) if (socket.bytesRead === 0) socket.destroy();
  }, idleCheckMs);
  // The HTTP server's own method closes idle connections at once, even with a request in transit.
  await new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  clearInterval(closeIdle);
  clearTimeout(late);
  return isCut;
}

function createNodeServer(
  options: ServerOptions,
  backlog: Backlog,
  serve: RequestListener,
  malformed: MalformedDeps,
): Server {
  const settings = {
    maxHeaderSize: headerBytesMax,
    headersTimeout: options.headersTimeoutMs,
    requestTimeout: options.requestTimeoutMs,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    // checkWellFormed checks it, so that the error has a body.
    requireHostHeader: false,
    // A request without content has no events of a stream: a twentieth of what a GET costs.
    optimizeEmptyRequests: true,
  };
  const server: Server =
    options.tls === undefined
      ? nodeHttp.createServer(settings)
      : loadHttps().createServer({ ...settings, ...options.tls, handshakeTimeout: options.headersTimeoutMs });
  // Unlimited here: checkWellFormed refuses the surplus; Node would drop it.
  server.maxHeadersCount = 0;
  server.maxConnections = options.connectionsMax;
  const silenceMs = Math.max(options.keepAliveTimeoutMs, options.requestTimeoutMs) + silenceMarginMs;
  server.setTimeout(silenceMs, (socket) => {
    // A long poll, or a stream without news: the client waits for us.
    const connection = connectionOf(socket);
    if (connection.isAwaited) socket.setTimeout(silenceMs);
    else if (connection.isBusy) connection.cut();
    else socket.destroy();
  });
  // A client that has closed its sending side still gets its replies.
  Object.assign(server, { httpAllowHalfOpen: true });
  const receive = (request: IncomingMessage, response: ServerResponse): void => {
    const connection = connectionOf(request.socket);
    // A parsed packet may contain further requests after the connection's last one.
    if (!connection.isEnding && !request.socket.destroyed) connection.enter(request, response, serve, backlog);
  };
  server.on('request', receive);
  // Both take the usual steps: 100 is sent when the body is read; unknown expectations are an error
  // like any other.
  server.on('checkContinue', receive);
  server.on('checkExpectation', receive);
  replyToMalformed(server, malformed);
  serveConnect(server, serve);
  ignoreUpgrade(server);
  return server;
}
