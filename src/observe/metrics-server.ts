/** The listener of the metrics, apart from the API: no token, so its address must be private. */
import { once } from 'node:events';
import type * as NodeHttp from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

// `import` would load all that is lazy in Node's HTTP.
const { createServer } = createRequire(import.meta.url)('node:http') as typeof NodeHttp;

/** Resolves to a text and its media type; undefined: there is nothing at this path. */
export type Endpoint = () => Promise<{ readonly status: number; readonly type: string; readonly text: string }>;

export interface MetricsServer {
  readonly port: number;
  close(): void;
}

/** Scrapers are few: more connections are an error of somebody. */
const connectionsMax = 20;
const timeoutMs = 10_000;
const headerBytesMax = 4_096;
/** Between two looks for what is late, in milliseconds. With Node's 30 s, 20 silent connections block the port for so long. */
const checkMs = 1_000;

/** Serves GET of these paths. @throws Error if the address cannot be used. */
export async function openMetricsServer(
  { host, port }: { readonly host: string; readonly port: number },
  endpoints: Readonly<Record<string, Endpoint>>,
): Promise<MetricsServer> {
  const limits = {
    headersTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    maxHeaderSize: headerBytesMax,
    connectionsCheckingInterval: checkMs,
  };
  const server = createServer(limits, ({ method, url = '' }, response) => {
    // At the limit below, Node says so but leaves the connection open, and it keeps its place.
    response.setHeader('connection', 'close');
    // A scraper or a probe may add a query.
    const path = url.replace(/\?.*$/s, '');
    const endpoint = Object.hasOwn(endpoints, path) ? endpoints[path] : undefined;
    const isRead = method === 'GET' || method === 'HEAD';
    if (endpoint === undefined || !isRead) {
      response.writeHead(endpoint === undefined ? 404 : 405, isRead ? {} : { allow: 'GET, HEAD' }).end();
      return;
    }
    endpoint().then(
      ({ status, type, text }) => response.writeHead(status, { 'content-type': type }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.maxConnections = connectionsMax;
  // Otherwise a client that sends a thousand requests at once would delay the API.
  server.maxRequestsPerSocket = 1;
  server.listen({ host, port });
  await once(server, 'listening');
  server.on('error', () => undefined);
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
