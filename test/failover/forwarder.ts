/** Forwards TCP connections to several ports in turn, and cuts them on request. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { eachMessage } from '../store/postgres/interfering-proxy.ts';

export interface Forwarder {
  readonly port: number;
  /** Where new connections go. One that cannot be opened goes to the next port. */
  setTargets(ports: readonly number[]): void;
  /** Cuts all open connections without a word. */
  cut(): void;
  close(): void;
}

/** Returns what is sent in place of a message of the protocol of PostgreSQL. */
export type Rewrite = (message: Buffer) => Buffer;

export async function startForwarder(first: readonly number[], rewrite?: Rewrite): Promise<Forwarder> {
  const sockets = new Set<Socket>();
  let targets = first;
  let turn = 0;
  const forward = (client: Socket, triesLeft: number): void => {
    turn += 1;
    const upstream = connect({ host: '127.0.0.1', port: targets[turn % targets.length] ?? 0, noDelay: true });
    let isOpen = false;
    sockets.add(upstream);
    upstream.on('error', () => undefined);
    upstream.on('close', () => {
      sockets.delete(upstream);
      if (!isOpen && triesLeft > 0) forward(client, triesLeft - 1);
      else client.destroy();
    });
    upstream.on('connect', () => {
      isOpen = true;
      if (client.destroyed) {
        upstream.destroy();
        return;
      }
      upstream.pipe(client);
      client.on('close', () => upstream.destroy());
      if (rewrite === undefined) client.pipe(upstream);
      else eachMessage(client, (message) => upstream.write(rewrite(message)));
    });
  };
  const server = createServer({ noDelay: true }, (client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    client.on('close', () => sockets.delete(client));
    forward(client, targets.length - 1);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    setTargets: (ports) => (targets = ports),
    cut,
    close: () => {
      server.close();
      cut();
    },
  };
}
