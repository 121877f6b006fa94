/**
 * Node's own HTTP, for its values; types are imported as ever. An `import` of `node:http` reads all that it exports, and so loads `WebSocket` and
 * the whole of fetch, which the service has no use for (measured: 30 ms of each start).
 */
import type * as http from 'node:http';
import { createRequire } from 'node:module';

export const nodeHttp = createRequire(import.meta.url)('node:http') as typeof http;
