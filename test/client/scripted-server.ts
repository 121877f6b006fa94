/**
 * A server that answers by a script, for what the real service cannot be made to do on demand: 503 in a row, lost answers, silence.
 * What a client makes of it is not checked here.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { PlantClient } from '../../src/client/client.ts';
import type { ClientOptions } from '../../src/client/client.ts';
import type { Cleanup } from '../support/clean-up.ts';
import { listen } from '../support/listen.ts';

/** What happens to one request once it has been read: an answer, its connection cut, or nothing at all. */
export type Step =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string | Uint8Array }
  /** The header section and this much of a chunked body; then it is cut. */
  | { readonly cutAfter: string }
  /** Sends this text; then nothing more comes. */
  | { readonly silentAfter: string }
  | 'cut'
  | 'silent';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ScriptedServer {
  readonly url: string;
  readonly received: readonly Received[];
  /** Resolves when a connection was closed by the client. */
  readonly closed: Promise<unknown>;
  /** Waits and retries that the client had, in order. */
  readonly delaysMs: readonly number[];
  readonly client: PlantClient;
}

/** Each request takes the next step; one request too many is answered with 418, which no client asks for twice. */
export async function startScript(
  scope: Cleanup,
  steps: readonly Step[],
  options: Partial<ClientOptions> = {},
): Promise<ScriptedServer> {
  const received: Received[] = [];
  const closed = Promise.withResolvers();
  const server = createServer((request, response) => {
    request.on('error', () => undefined);
    response.on('close', () => {
      if (!response.writableFinished) closed.resolve(undefined);
    });
    void text(request).then((body) => {
      const { method = '', url = '', headers } = request;
      received.push({ method, path: url, headers, body });
      play(steps[received.length - 1] ?? { status: 418 }, response);
    });
  });
  const url = `http://127.0.0.1:${await listen(scope, server)}`;
  const delaysMs: number[] = [];
  const environment = {
    now: () => Date.UTC(2026, 0, 1),
    random: () => 0.5,
    sleep: (ms: number, signal: AbortSignal | undefined) => {
      delaysMs.push(ms);
      signal?.throwIfAborted();
      return Promise.resolve();
    },
  };
  const client = new PlantClient({ url, token: 'double', environment, ...options });
  return { url, received, closed: closed.promise, delaysMs, client };
}

function play(step: Step, response: ServerResponse): void {
  if (step === 'silent') return;
  if (step === 'cut') {
    response.destroy();
    return;
  }
  if ('status' in step) {
    response.writeHead(step.status, { 'content-type': 'application/json', ...step.headers }).end(step.body);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.write('cutAfter' in step ? step.cutAfter : step.silentAfter, () => {
    if ('cutAfter' in step) response.destroy();
  });
}

/** The answer of the service to an error. */
export function refusal(number: number, headers: Record<string, string> = {}): Step {
  return { status: Math.floor(number / 100), headers, body: `{"error":${number},"message":"No ${number}"}` };
}

export const plantAnswer: Step = {
  status: 200,
  headers: { etag: '"v1"' },
  body: '{"id":7,"name":"Basil","tag":"herb"}',
};
