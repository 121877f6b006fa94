/** Sends requests to a running service over real sockets, by node:http; edge/connection.ts sends bytes. reply.ts checks every response. */
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { Agent, request as requestHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as requestHttps } from 'node:https';
import { toReply } from './reply.ts';
import type { Reply } from './reply.ts';

/** The service to call. */
export interface Target {
  readonly url: string;
  readonly port: number;
  readonly basePath: string;
  readonly token: string;
  /** A self-signed certificate to trust, PEM. */
  readonly ca?: string;
}

export interface RequestOptions {
  /** POST if there is a body, otherwise GET. */
  readonly method?: string;
  /** Below the base path; `/plants` if there is a body, otherwise `/`. */
  readonly path?: string;
  /** Undefined omits a default field. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** An array is sent chunked: one chunk and one packet per element. */
  readonly body?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /** Defaults to the target's token; null sends none. */
  readonly token?: string | null;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const secureAgent = new SecureAgent({ keepAlive: true });
const answerWithinMs = 120_000;

/** Sends one request. Resolves to its checked response. */
export async function request(target: Target, options: RequestOptions = {}): Promise<Reply> {
  const { body, token = target.token } = options;
  const method = options.method ?? (body === undefined ? 'GET' : 'POST');
  const path = target.basePath + (options.path ?? (body === undefined ? '/' : '/plants'));
  const common = { method, path, headers: toHeaders(options, token), host: '127.0.0.1', port: target.port };
  const outgoing = target.url.startsWith('https:')
    ? requestHttps({ ...common, agent: secureAgent, ...(target.ca === undefined ? {} : { ca: target.ca }) })
    : requestHttp({ ...common, agent });
  outgoing.setTimeout(answerWithinMs, () => outgoing.destroy(new Error(`No answer to ${method} ${path}`)));
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  if (isList(body)) void sendChunks(outgoing, body);
  else outgoing.end(body);
  const [response] = await answered;
  // A response may arrive before the request is sent completely; ignore errors of the rest.
  outgoing.on('error', () => undefined);
  const chunks = (await response.toArray()) as Buffer[];
  const asked = { method, path, basePath: target.basePath };
  return toReply(asked, response.statusCode ?? 0, toPairs(response.rawHeaders), Buffer.concat(chunks));
}

/** Sends a plant, valid or not; a bigint id keeps its digits. */
export function postPlant(
  target: Target,
  plant: { readonly id: bigint; readonly name: string; readonly tag?: string },
  options: RequestOptions = {},
): Promise<Reply> {
  const { id, ...fields } = plant;
  return request(target, { ...options, body: `{"id":${id},${JSON.stringify(fields).slice(1)}` });
}

function toHeaders({ headers = {}, body }: RequestOptions, token: string | null): Record<string, string | string[]> {
  const all: Record<string, string | string[]> = token === null ? {} : { authorization: `Bearer ${token}` };
  if (body !== undefined) {
    all['content-type'] = 'application/json';
    if (!isList(body)) all['content-length'] = String(Buffer.byteLength(body));
  }
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) Reflect.deleteProperty(all, name.toLowerCase());
    else all[name.toLowerCase()] = typeof value === 'string' ? value : [...value];
  }
  return all;
}

function isList(body: RequestOptions['body']): body is readonly (string | Uint8Array)[] {
  return Array.isArray(body);
}

/** Flushes each chunk before the next, so that they are not joined. */
async function sendChunks(
  outgoing: ReturnType<typeof requestHttp>,
  chunks: readonly (string | Uint8Array)[],
): Promise<void> {
  outgoing.setNoDelay(true);
  outgoing.flushHeaders();
  for (const chunk of chunks) await new Promise((resolve) => outgoing.write(chunk, resolve));
  outgoing.end();
}

function toPairs(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    pairs.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  return pairs;
}
