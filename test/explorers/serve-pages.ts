/** Serves pages of tools on an origin of their own: HTML by path, and scripts of packages. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cleanup } from '../support/clean-up.ts';

/** Resolves to the origin. @param contents by path. */
export async function servePages(scope: Cleanup, contents: ReadonlyMap<string, string | Uint8Array>): Promise<string> {
  const server = createServer(({ url = '/' }, response) => {
    const content = contents.get(url);
    const type = url.endsWith('.js') ? 'text/javascript' : url.endsWith('.css') ? 'text/css' : 'text/html';
    response.writeHead(content === undefined ? 404 : 200, { 'content-type': `${type}; charset=utf-8` }).end(content);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  scope.after(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
