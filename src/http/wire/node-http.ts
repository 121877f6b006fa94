/**
 * Node's HTTP without `import`, which reads every member of a built-in module and so loads the client
 * of `fetch`, too: a tenth of a start, and 15 MB. TLS is loaded where it is used.
 */
import type * as NodeHttp from 'node:http';
import type * as NodeHttps from 'node:https';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export const nodeHttp = require('node:http') as typeof NodeHttp;

export function loadHttps(): typeof NodeHttps {
  return require('node:https') as typeof NodeHttps;
}
