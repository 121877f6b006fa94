/** Sends requests to a running service over real sockets, by node:http or as raw bytes. reply.ts checks every response. */
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

/** The service to call. */
export interface Target {
  readonly url: string;
  readonly port: number;
  readonly basePath: string;
  readonly token: string;
  /** Of a self-signed certificate, PEM. */
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
  readonly body?: string | Uint8Array | readonly (string | Uint8Array)[];
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

export interface RawOptions {
  /** The requests in the bytes, in order; by default the first request line. The last one applies to all further responses. */
  readonly requests?: readonly { readonly method: string; readonly path: string }[];
  /** Number of final responses to wait for, by default one per request; Infinity waits until the service closes the connection. */
  readonly answers?: number;
  readonly timeoutMs?: number;
  /** Closes the sending side after the last byte. */
  readonly halfClose?: boolean;
}

/**
 * Sends raw bytes and resolves to all responses, interim ones included; checks each final one.
 * Resolves early if the service closes the connection; rejects on time-out.
 *
 * @param bytes an array is sent one packet per element; functions in it are awaited.
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

/** Resolves once enough responses arrived or the connection is closed. */
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
