/**
 * Requests to a running service over real sockets, by node:http or as bytes; every answer is checked (reply.ts) before a
 * test sees it. What an answer should say is the test's matter.
 */
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { Agent, request as requestHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { AnswerReader } from './answer-reader.ts';
import { toReply } from './reply.ts';
import type { Reply } from './reply.ts';

/** Whom to ask: a Service will do. */
export interface Target {
  readonly url: string;
  readonly port: number;
  readonly basePath: string;
  readonly token: string;
  /** Of a self-signed certificate, PEM. */
  readonly ca?: string;
}

export interface RequestOptions {
  /** POST when there is a body, else GET. */
  readonly method?: string;
  /** Below the base path; `/plants` when there is a body, else `/`. */
  readonly path?: string;
  /** Undefined takes away a field that would else be sent. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** A list is sent chunked, one chunk an element, each in a packet of its own. */
  readonly body?: string | Uint8Array | readonly (string | Uint8Array)[];
  /** The token of the target when absent; null sends none. */
  readonly token?: string | null;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const secureAgent = new SecureAgent({ keepAlive: true });
const answerWithinMs = 20_000;

/** Sends one request. Resolves to its answer, once that is checked. */
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
  // An answer may come before the whole request has left; what becomes of the rest is no matter then.
  outgoing.on('error', () => undefined);
  const chunks = (await response.toArray()) as Buffer[];
  const asked = { method, path, basePath: target.basePath };
  return toReply(asked, response.statusCode ?? 0, toPairs(response.rawHeaders), Buffer.concat(chunks));
}

/** Sends a plant, or whatever else is to be one; a bigint id keeps its digits. */
export function postPlant(
  target: Target,
  plant: { readonly id: bigint; readonly name: string; readonly tag?: string },
  options: RequestOptions = {},
): Promise<Reply> {
  const { id, ...fields } = plant;
  return request(target, { ...options, body: `{"id":${id},${JSON.stringify(fields).slice(1)}` });
}

export interface RawOptions {
  /** What the bytes ask, in order; read from their first line when absent. The last one counts for all further answers. */
  readonly requests?: readonly { readonly method: string; readonly path: string }[];
  /** Final answers to wait for, one a request when absent; Infinity waits until the service closes the connection. */
  readonly answers?: number;
  readonly timeoutMs?: number;
  /** The client says that it sends nothing more, behind the last byte. */
  readonly halfClose?: boolean;
}

/**
 * Sends bytes as they are, and resolves to all answers, interim ones included, each final one checked. Resolves too when
 * the service closes the connection, then perhaps with fewer answers than wanted; rejects when nothing happens in time.
 *
 * @param bytes a list is sent one element a packet; a function is awaited between two of them.
 */
export async function sendRaw(
  target: Target,
  bytes: RawBytes | readonly (RawBytes | (() => Promise<void>))[],
  options: RawOptions = {},
): Promise<Reply[]> {
  const parts = typeof bytes === 'string' || bytes instanceof Uint8Array ? [bytes] : bytes;
  const requests = options.requests ?? [readRequestLine(parts[0])];
  const { answers = requests.length, timeoutMs = answerWithinMs } = options;
  const socket = connect({ host: '127.0.0.1', port: target.port, noDelay: true });
  const replies: Reply[] = [];
  const done = collect(socket, target, requests, replies, answers);
  const late = setTimeout(
    () => socket.destroy(new Error(`Only ${replies.length} answers in ${timeoutMs} ms`)),
    timeoutMs,
  );
  try {
    for (const part of parts) {
      if (typeof part === 'function') await part();
      else if (socket.writable) await new Promise((resolve) => socket.write(part, resolve));
    }
    if (options.halfClose === true) socket.end();
    await done;
  } finally {
    clearTimeout(late);
    socket.destroy();
  }
  return replies;
}

type RawBytes = string | Uint8Array;

/** Resolves when enough answers are in or the connection is closed. */
function collect(
  socket: Socket,
  { basePath }: Target,
  requests: NonNullable<RawOptions['requests']>,
  replies: Reply[],
  wanted: number,
): Promise<void> {
  const reader = new AnswerReader();
  let finals = 0;
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  // The caller may still be writing when this fails.
  promise.catch(() => undefined);
  const read = (): void => {
    try {
      for (;;) {
        const { method, path } = requests[Math.min(finals, requests.length - 1)] ?? { method: 'GET', path: '/' };
        const answer = reader.take(method);
        if (answer === undefined) return;
        replies.push(toReply({ method, path, basePath }, answer.status, answer.fields, answer.body));
        if (answer.status >= 200) finals++;
        if (finals >= wanted) resolve(undefined);
      }
    } catch (error) {
      reject(error);
    }
  };
  socket.on('data', (chunk: Buffer) => {
    reader.push(chunk);
    read();
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
  });
  socket.on('close', () => {
    reader.end();
    read();
    if (reader.left.length > 0) reject(new Error(`Half an answer: ${reader.left.toString('latin1', 0, 200)}`));
    resolve(undefined);
  });
  return promise;
}

function readRequestLine(part: unknown): { method: string; path: string } {
  const text = typeof part === 'string' ? part : part instanceof Uint8Array ? Buffer.from(part).toString('latin1') : '';
  const [method = '', path = ''] = (text.split(/\r?\n/, 1)[0] ?? '').split(' ');
  const inOriginForm = path.replace(/^https?:\/\/[^/?]*/i, '');
  return { method, path: /^(?:$|\?)/.test(inOriginForm) ? `/${inOriginForm}` : inOriginForm };
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

/** Each chunk leaves before the next is written, so that they are not joined on their way. */
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
