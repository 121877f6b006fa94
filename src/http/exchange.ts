/**
 * One request from its arrival to the end of its reply. Everything that observes requests hangs on its end; handlers do not see it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '../contract/operations.ts';
import { type ErrorCode, ServiceError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import type { Store } from '../domain/store.ts';
import type { Log } from '../observe/log.ts';
import type { Backlog } from './wire/backlog.ts';
import { ClientGoneError } from './wire/body.ts';
import type { Cors } from './steps/cors.ts';
import { type Reply, sendReply, toErrorReply } from './wire/reply.ts';
import { sendStream } from './wire/send-stream.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly store: Store;
  /** Of a monotonic clock, in milliseconds. */
  readonly startedAt: number;
  /** Undefined until the path and the method are known, and for pages. */
  operation: Operation | undefined;
  /** Undefined until the token is checked, and for public operations. */
  principal: Principal | undefined;
}

export interface ExchangeDeps {
  readonly log: Log;
  readonly cors: Cors;
  readonly backlog: Backlog;
  /** Aborted when the service begins to stop. */
  readonly shutdown: AbortSignal;
}

/** Sends the reply, or the reply to an error, and reports how the exchange ended: the only place where one ends. */
export function finish(exchange: Exchange, outcome: Reply | Error, deps: ExchangeDeps): void {
  if (outcome instanceof ClientGoneError) {
    report(exchange, undefined, undefined, deps);
    return;
  }
  const reply = outcome instanceof Error ? toErrorReply(outcome) : outcome;
  const error = outcome instanceof Error && reply.status >= 500 ? outcome : undefined;
  const { request, response } = exchange;
  const { headers } = deps.cors.isOn ? deps.cors.addTo(reply, request) : reply;
  // A client that is asked now opens its next connection elsewhere, instead of losing a request when this one ends.
  const fields = deps.shutdown.aborted ? { ...headers, connection: 'close' } : headers;
  if (reply.stream === undefined) {
    sendReply(request, response, { ...reply, headers: fields });
    deps.backlog.holdReply(response);
    report(exchange, reply.status, error, deps);
    return;
  }
  sendStream(request, response, reply.status, fields, reply.stream).then(
    () => report(exchange, reply.status, undefined, deps),
    (cause: unknown) => report(exchange, reply.status, new Error('The reply was cut', { cause }), deps),
  );
}

/** @param status of the reply; undefined when the client left before there was one. */
function report(
  { request: { method }, startedAt, operation, principal }: Exchange,
  status: number | undefined,
  error: Error | undefined,
  { log }: ExchangeDeps,
): void {
  if (error !== undefined && !isExpected(error))
    log.error({ error, method, operation: operation?.operationId, status }, 'Request failed');
  if (!log.isLevelEnabled('debug')) return;
  // The target is not logged: somebody may have put a token into it.
  const durationMs = performance.now() - startedAt;
  log.debug({ method, operation: operation?.operationId, token: principal?.tokenId, status, durationMs }, 'Replied');
}

/** Deliberate refusals can occur thousands of times per second, and a store that is full or fails reports it itself, once. */
function isExpected(error: Error): boolean {
  return error instanceof ServiceError && expectedErrors.has(error.code);
}

const expectedErrors: ReadonlySet<ErrorCode> = new Set([
  'store_busy',
  'store_full',
  'store_failed',
  'store_unavailable',
  'shutting_down',
  'version_unsupported',
]);
