/** A subscriber: records the requests it gets, checks each, and responds as a test says. */
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { Cleanup } from '../support/clean-up.ts';
import { listen } from '../support/listen.ts';
import { checkRequest } from './check-request.ts';
import { until } from '../support/until.ts';

export interface Received {
  readonly id: string;
  readonly body: string;
  /** The path of the request. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly at: number;
}

/** Returns the status for the request with this number, from 0; undefined if it responds itself. */
export type Respond = (index: number, received: Received, response: ServerResponse) => number | undefined;

export interface Receiver {
  readonly url: string;
  /** In the order of their arrival. */
  readonly requests: readonly Received[];
  /** Resolves once there are so many requests. */
  waitFor(count: number): Promise<void>;
  /** Requests that are open now. */
  readonly open: () => number;
}

/** Starts a receiver, which stops when `scope` ends. */
export async function startReceiver(
  scope: Cleanup,
  respond: Respond = () => 204,
  { host = '127.0.0.1', port = 0 } = {},
): Promise<Receiver> {
  const requests: Received[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    open += 1;
    response.on('close', () => {
      open -= 1;
    });
    void text(request).then(
      (body) => {
        const { url: path = '', headers } = request;
        const received = { id: String(headers['webhook-id']), body, path, headers, at: Date.now() };
        assert.deepEqual(checkRequest(request.headers, body), []);
        assert.equal(request.method, 'POST');
        requests.push(received);
        const status = respond(requests.length - 1, received, response);
        if (status !== undefined) response.writeHead(status).end();
      },
      () => undefined,
    );
  });
  return {
    url: `http://${host}:${await listen(scope, server, port, host)}/hook`,
    requests,
    open: () => open,
    waitFor: async (count) => {
      await until(() => requests.length >= count, `${count} requests came`);
    },
  };
}

/** Verifies the signature with the reference library. @throws Error if it is wrong. */
export function verify(secret: string, { body, headers }: Received): void {
  // The library would round ids: only its verdict counts.
  new Webhook(secret).verify(body, headers as Record<string, string>);
}
