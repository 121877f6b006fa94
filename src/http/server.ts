/** The HTTP server: sockets, limits, time-outs and drain. Every limit of the transport is here. */
import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { createRouter, type HttpDeps } from './routes.ts';
import { createFindAddress } from './steps/find-address.ts';
import { Backlog } from './wire/backlog.ts';
import { cut, isEnding } from './wire/linger.ts';
import { replyToMalformed } from './wire/malformed.ts';
import { Pipeline } from './wire/pipeline.ts';

export interface TransportLimits {
  /** From the first byte to the end of the header section. */
  readonly headersTimeoutMs: number;
  /** From the first byte to the end of the body. */
  readonly requestTimeoutMs: number;
  /** Between a reply and the next request. */
  readonly keepAliveTimeoutMs: number;
  readonly connectionsMax: number;
}

export interface ServerOptions extends TransportLimits {
  /** PEM texts; absent: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Addresses and networks whose X-Forwarded-* fields are used. */
  readonly trustedProxies: readonly string[];
}

/** A server that does not listen yet. */
export interface HttpServer {
  /** Resolves to the port once it accepts connections. @throws Error when the address is not available. */
  listen(host: string, port: number): Promise<number>;
  /**
   * Accepts no further connections, lets each open one finish its requests, and resets what is left after `timeoutMs`.
   * Resolves, once no connection is left, to whether any was reset.
   */
  drain(timeoutMs: number): Promise<boolean>;
}

/** Request line and header fields together, in bytes: Node's own default, written down. */
const headerBytesMax = 16_384;
/** How often the time-outs of connections are checked, in milliseconds. */
const timeoutCheckMs = 1_000;
/** How much longer than the other time-outs a connection may be silent in both directions, in milliseconds: then its reader has stalled. */
const silenceMarginMs = 3_000;
/**
 * How often a draining server closes idle connections, in milliseconds. Not at once: a client that sends one request after the other
 * is idle while its next one is on its way; the reply to that one asks it to close.
 */
const idleCheckMs = 500;

/** Builds the server; it does not listen yet. @throws Error when the description and the handlers differ. */
export function createServer(options: ServerOptions, deps: Omit<HttpDeps, 'backlog' | 'findAddress'>): HttpServer {
  /** On which requests come: below TLS, others carry them. */
  const readers = new Set<Socket>();
  const backlog = new Backlog(readers);
  const route = createRouter({ ...deps, backlog, findAddress: createFindAddress(options.trustedProxies) });
  const server = createNodeServer(options, new Pipeline(backlog), route);
  server.on('error', (error) => deps.log.warn({ error }, 'Cannot accept a connection'));
  const connections = new Set<Socket>();
  track(server, 'connection', connections);
  track(server, options.tls === undefined ? 'connection' : 'secureConnection', readers);
  return {
    listen: async (host, port) => {
      server.listen({ host, port });
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    },
    drain: (timeoutMs) => drain(server, connections, timeoutMs),
  };
}

async function drain(server: Server, connections: ReadonlySet<Socket>, timeoutMs: number): Promise<boolean> {
  let isCut = false;
  const late = setTimeout(() => {
    isCut = true;
    // A reply over HTTP/1.0 would look complete if its connection merely ended.
    for (const socket of connections) cut(socket);
  }, timeoutMs);
  const closeIdle = setInterval(() => {
    server.closeIdleConnections();
    // Node 24 takes a connection for busy that has not said anything yet.
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  }, idleCheckMs);
  // Not the method of the HTTP server: it cuts idle connections at once, and those in which a request is on its way look idle.
  await new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  clearInterval(closeIdle);
  clearTimeout(late);
  return isCut;
}

/** Keeps the open connections of an event in a set. */
function track(server: Server, event: string, open: Set<Socket>): void {
  server.on(event, (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
}

function createNodeServer(options: ServerOptions, pipeline: Pipeline, route: RequestListener): Server {
  const settings = {
    maxHeaderSize: headerBytesMax,
    headersTimeout: options.headersTimeoutMs,
    requestTimeout: options.requestTimeoutMs,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    // Checked by checkWellFormed, so that the error has a body.
    requireHostHeader: false,
  };
  const server: Server =
    options.tls === undefined
      ? createHttpServer(settings)
      : createHttpsServer({ ...settings, ...options.tls, handshakeTimeout: options.headersTimeoutMs });
  // The surplus is refused, not dropped.
  server.maxHeadersCount = 0;
  server.maxConnections = options.connectionsMax;
  server.setTimeout(Math.max(options.keepAliveTimeoutMs, options.requestTimeoutMs) + silenceMarginMs, (socket) => {
    if (pipeline.isBusy(socket)) cut(socket);
    else socket.destroy();
  });
  // A client that has closed its side after its requests still gets the replies.
  Object.assign(server, { httpAllowHalfOpen: true });
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    // Of a packet that is parsed already, more requests may follow the end of their connection.
    if (isEnding(request.socket) || request.socket.destroyed) return;
    // The service speaks no other protocol, but Node's parser loses what follows such a wish in the same packet: so its reply is the last.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    pipeline.enter(request, response, () => {
      if (!isEnding(request.socket)) route(request, response);
    });
  };
  server.on('request', handle);
  // Both take the ordinary steps: the body is asked for when it is read, and an unknown expectation has its place among the errors.
  server.on('checkContinue', handle);
  server.on('checkExpectation', handle);
  replyToMalformed(server, pipeline, route);
  return server;
}
