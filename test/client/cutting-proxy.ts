/** A TCP proxy that cuts some connections in the middle of a response. It does not look into the bytes. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Cleanup } from '../support/clean-up.ts';

export interface CuttingProxy {
  readonly url: string;
  /** Connections that were cut so far. */
  readonly cuts: () => number;
  /** Sends new connections to this port; cuts all others. */
  readonly connectTo: (port: number) => void;
}

/** @param bytesOf response bytes after which the connection is cut: 0 is the first one. Undefined: never. */
export async function startCuttingProxy(
  scope: Cleanup,
  port: number,
  bytesOf: (connection: number) => number | undefined,
): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let target = port;
  let connections = 0;
  let cuts = 0;
  const server = createServer((socket) => {
    const bytesMax = bytesOf(connections++) ?? Infinity;
    const service = connect(target, '127.0.0.1');
    let bytes = 0;
    const end = (): void => {
      socket.destroy();
      service.destroy();
    };
    for (const each of [socket, service]) {
      sockets.add(each);
      each
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(each);
          end();
        });
    }
    socket.on('data', (chunk) => service.write(chunk));
    service.on('data', (chunk: Buffer) => {
      if (bytes + chunk.length <= bytesMax) {
        bytes += chunk.length;
        socket.write(chunk);
        return;
      }
      cuts += 1;
      socket.write(chunk.subarray(0, bytesMax - bytes), end);
      bytes = bytesMax;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const closeAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  scope.after(async () => {
    closeAll();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => cuts,
    connectTo: (next) => {
      target = next;
      closeAll();
    },
  };
}
