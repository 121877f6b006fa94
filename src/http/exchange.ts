/** One request from its arrival to the end of its reply. Observers of requests attach here. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '../contract/operations.ts';
import { type ErrorCode, ServiceError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import type { Log } from '../observe/log.ts';
import type { Backlog } from './wire/backlog.ts';
import { ClientGoneError } from './wire/body.ts';
import type { InvalidTokens } from './steps/authenticate.ts';
import type { Cors } from './steps/cors.ts';
import { type Reply, sendReply, toErrorReply, withTransportSecurity } from './wire/reply.ts';
import { sendHalf } from './wire/send-half.ts';
import { sendStream } from './wire/send-stream.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Monotonic clock, in milliseconds. */
  readonly startedAt: number;
  /** Undefined until path and method are known, and for pages. */
  operation: Operation | undefined;
  /** Undefined until the token is checked, and for public operations. */
  principal: Principal | undefined;
  /** Whether the client gets half of the reply, then a reset. */
  isCut: boolean;
}

export interface ExchangeDeps {
  readonly log: Log;
  readonly cors: Cors;
  readonly backlog: Backlog;
  readonly invalidTokens: InvalidTokens;
  /** Aborted when the service starts to shut down. */
  readonly shutdown: AbortSignal;
}

/**
 * Sends the reply, or an error's reply, and reports the result: the only place where an exchange
 * ends.
 */
export function finish(exchange: Exchange, outcome: Reply | Error, deps: ExchangeDeps): void {
  if (outcome instanceof ClientGoneError) {
    report(exchange, undefined, undefined, deps);
    return;
  }
  if (outcome instanceof ServiceError && outcome.code === 'token_invalid') deps.invalidTokens.note();
  const reply = outcome instanceof Error ? toErrorReply(outcome) : outcome;
  const error = outcome instanceof Error && reply.status >= 500 ? outcome : undefined;
  const { request, response } = exchange;
  const headers = withTransportSecurity(deps.cors.addTo(reply.headers, request.headers.origin), request.socket);
  // During shutdown, makes clients open their next connection elsewhere instead of losing a
  // request.
  const fields = deps.shutdown.aborted ? { ...headers, connection: 'close' } : headers;
  if (exchange.isCut) {
    const half = sendHalf(response, { ...reply, headers: fields });
    half.finally(() => report(exchange, reply.status, error, deps)).catch(() => undefined);
    return;
  }
  if (reply.stream === undefined) {
    sendReply(request, response, { ...reply, headers: fields });
    // The bytes of a page are the same for all connections, and cost none of them memory.
    if (typeof reply.body === 'string' || reply.isOwn === true) deps.backlog.holdReply(response);
    report(exchange, reply.status, error, deps);
    return;
  }
  const sent = {
    stream: reply.stream,
    backlog: deps.backlog,
    end: reply.isEndless === true ? deps.shutdown : reply.end,
  };
  sendStream(request, response, reply.status, fields, sent).then(
    () => report(exchange, reply.status, undefined, deps),
    (cause: unknown) => {
      // Such as a token that was revoked: the response to the next request of the client says so.
      const isRefusal = cause instanceof ServiceError && cause.status < 500;
      report(exchange, reply.status, isRefusal ? undefined : new Error('The reply was cut', { cause }), deps);
    },
  );
}

/** @param status of the reply; undefined if the client disconnected before it. */
function report(
  { request: { method }, startedAt, operation, principal }: Exchange,
  status: number | undefined,
  error: Error | undefined,
  { log }: ExchangeDeps,
): void {
  if (error !== undefined && !isExpected(error))
    log.error({ error, method, operation: operation?.operationId, status }, 'Request failed');
  if (!log.isLevelEnabled('debug')) return;
  // Does not log the target: it may contain a token.
  const durationMs = toMilliseconds(performance.now() - startedAt);
  log.debug({ method, operation: operation?.operationId, token: principal?.tokenId, status, durationMs }, 'Replied');
}

/** With three decimals: the clock has no more. */
function toMilliseconds(duration: number): number {
  return Math.round(duration * 1_000) / 1_000;
}

/**
 * Returns whether not to log the error: refusals may occur thousands of times per second, and the
 * store-log.ts reports each state of the store once.
 */
function isExpected(error: Error): boolean {
  return error instanceof ServiceError && expectedErrors.has(error.code);
}

const expectedErrors: ReadonlySet<ErrorCode> = new Set([
  'store_busy',
  'store_full',
  'store_failed',
  'store_unavailable',
  'issuer_unavailable',
  'shutting_down',
  'version_unsupported',
]);
