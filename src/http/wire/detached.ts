/**
 * CONNECT and Upgrade: Node detaches the connections of these requests from its HTTP. Both are served
 * as other requests are.
 */
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { connectionOf } from './connection.ts';
import { nodeHttp } from './node-http.ts';

/** Serves CONNECT as the last request of its connection: no tunnel begins. */
export function serveConnect(server: Server, serve: RequestListener): void {
  server.on('connect', (request) => {
    const { socket } = request;
    // Node has removed its error listener; without one a reset would end the process.
    socket.on('error', () => socket.destroy());
    const connection = connectionOf(socket);
    connection.dropInput();
    connection.afterReplies(() => {
      const response = new nodeHttp.ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket);
      response.once('finish', () => connection.endGently());
      serve(request, response);
    });
  });
}

/** The undocumented part of Node that this uses; framing.test.ts notices a change of it. */
interface Parsed {
  readonly parser?: { onIncoming: (request: IncomingMessage, isKeptAlive: boolean) => number } | null;
}

/**
 * Serves a request with `Connection: Upgrade` as one without it (RFC 9110, section 7.8): parses it
 * again, once earlier replies are sent. Node's parser hides all errors in the bodies of such
 * requests, and loses what follows them in the same packet, also with the option
 * `shouldUpgradeCallback`.
 */
export function ignoreUpgrade(server: Server): void {
  const stopAfterHead = ({ parser }: Socket & Parsed): void => {
    if (parser === undefined || parser === null) return;
    const accept = parser.onIncoming.bind(parser);
    // 1 ends the request after its head; what follows is passed on as bytes.
    parser.onIncoming = (request, isKeptAlive) =>
      accept(request, isKeptAlive) || ('upgrade' in request && request.upgrade === true ? 1 : 0);
  };
  server.on('connection', stopAfterHead).on('secureConnection', stopAfterHead);
  server.on('upgrade', (request, stream, rest) => {
    // Node types it as a stream, for servers with other transports.
    const socket = stream as unknown as Socket;
    const fail = (): void => void socket.destroy();
    // Node has removed its error listener; without one a reset would end the process.
    socket.on('error', fail);
    connectionOf(socket).afterReplies(() => {
      socket.off('error', fail);
      // The parser that comes now adds its own.
      socket.removeAllListeners('pause').removeAllListeners('resume');
      socket.unshift(Buffer.concat([toHead(request), rest]));
      server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket);
    });
  });
}

function toHead({ method = '', url = '', httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[index + 1] ?? ''}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
