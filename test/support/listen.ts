/** Servers of tests. */
import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { type Cleanup, cleanUp } from './clean-up.ts';

/** Resolves to the port, which the system chooses unless it is given. The server is gone with its connections when `scope` ends. */
export async function listen(scope: Cleanup, server: Server, port = 0, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  cleanUp(scope, async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  await once(server.listen(port, host), 'listening');
  return (server.address() as AddressInfo).port;
}
