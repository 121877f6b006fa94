/** A TCP proxy on a port of its own. What becomes of the bytes is the matter of the test. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Cleanup } from './clean-up.ts';
import { listen } from './listen.ts';

export interface Forwarder {
  readonly port: number;
  readonly server: Server;
  /** Open ones, of both sides. */
  readonly sockets: ReadonlySet<Socket>;
  /** Resets all open connections. */
  readonly cut: () => void;
}

/**
 * Starts a proxy, which stops when `scope` ends.
 * @param targets ports. A connection goes to the next one, in turn, that accepts it.
 * @param pass joins the two sides; the end of one is that of the other.
 */
export async function forward(
  scope: Cleanup,
  targets: () => readonly number[],
  pass: (client: Socket, upstream: Socket) => void = (client, upstream) => client.pipe(upstream).pipe(client),
  ownPort = 0,
): Promise<Forwarder> {
  const sockets = new Set<Socket>();
  const add = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    return socket.setNoDelay(true);
  };
  let turn = 0;
  const open = (client: Socket, others: number): void => {
    const ports = targets();
    const upstream = add(connect(ports[(turn += 1) % ports.length] ?? 0, '127.0.0.1'));
    let isOpen = false;
    upstream.on('close', () => {
      if (!isOpen && others > 0 && !client.destroyed) open(client, others - 1);
      else client.destroy();
    });
    upstream.on('connect', () => {
      isOpen = true;
      client.on('close', () => upstream.destroy());
      if (client.destroyed) upstream.destroy();
      else pass(client, upstream);
    });
  };
  const server = createServer((client) => open(add(client), targets().length - 1));
  const port = await listen(scope, server, ownPort);
  const cut = (): void => sockets.forEach((socket) => socket.resetAndDestroy());
  return { port, server, sockets, cut };
}
