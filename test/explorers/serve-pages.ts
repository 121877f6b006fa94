/** Serves pages of tools on an origin of their own: HTML by path, and scripts of packages. */
import { createServer } from 'node:http';
import type { Cleanup } from '../support/clean-up.ts';
import { listen } from '../support/listen.ts';

/** Resolves to the origin. @param contents by path. */
export async function servePages(scope: Cleanup, contents: ReadonlyMap<string, string | Uint8Array>): Promise<string> {
  const server = createServer(({ url = '/' }, response) => {
    const content = contents.get(url);
    const type = url.endsWith('.js') ? 'text/javascript' : url.endsWith('.css') ? 'text/css' : 'text/html';
    response.writeHead(content === undefined ? 404 : 200, { 'content-type': `${type}; charset=utf-8` }).end(content);
  });
  return `http://127.0.0.1:${await listen(scope, server)}`;
}
