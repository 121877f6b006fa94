/**
 * The end of a request: sends the reply, or that of an error, then reports the result to the service
 * log, the access log, metrics and traces.
 */
import { type ErrorCode, ServiceError } from '../domain/errors.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Exchange } from './exchange.ts';
import { toErrorPage } from './pages/error-page.ts';
import type { AccessLog } from './steps/access-log.ts';
import { TokenRefusedError } from './steps/authenticate.ts';
import type { Cors } from './steps/cors.ts';
import type { Backlog } from './wire/backlog.ts';
import { ClientGoneError } from './wire/body.ts';
import { connectionOf } from './wire/connection.ts';
import { type Reply, sendReply, toErrorReply, toFields } from './wire/reply.ts';
import { sendHalf } from './wire/send-half.ts';
import { sendStream } from './wire/send-stream.ts';

export interface FinishDeps {
  readonly log: Log;
  /** `''`, or `/api/v1`. */
  readonly basePath: string;
  readonly observer?: Pick<Metrics, 'requestBegun' | 'requestEnded'> | undefined;
  readonly accessLog: AccessLog;
  readonly cors: Cors;
  readonly backlog: Backlog;
  /** Aborted when the service begins to stop. */
  readonly stopping: AbortSignal;
}

/** The only end of an exchange. Call once. */
export function finish(exchange: Exchange, outcome: Reply | Error, deps: FinishDeps): void {
  if (outcome instanceof ClientGoneError) {
    observeEnd(exchange, undefined, undefined, deps);
    return;
  }
  const { request, response } = exchange;
  const { cors, stopping, backlog } = deps;
  const reply = outcome instanceof Error ? toReply(outcome, exchange, deps.basePath) : outcome;
  const error = outcome instanceof Error ? outcome : undefined;
  const fields = cors.addTo(toFields(reply.headers, exchange.requestId, request.socket), request.headers.origin);
  // While the service stops, makes clients open their next connection elsewhere, and lose no request.
  if (stopping.aborted) fields['connection'] = 'close';
  if (exchange.isCut) {
    const half = sendHalf(response, { ...reply, headers: fields });
    half.finally(() => observeEnd(exchange, reply.status, error, deps)).catch(() => undefined);
    return;
  }
  if (reply.stream === undefined) {
    sendReply(request, response, reply, fields);
    // The bytes of a page are the same for all connections, and cost none of them memory.
    if (typeof reply.body === 'string' || reply.isOwn === true)
      backlog.holdReply(connectionOf(request.socket), response);
    observeEnd(exchange, reply.status, error, deps);
    return;
  }
  const { stream, end } = reply;
  sendStream(request, response, reply.status, fields, { stream, backlog, end }).then(
    () => observeEnd(exchange, reply.status, undefined, deps),
    (cause: unknown) => {
      const isKnown = cause instanceof ServiceError && isExpected(cause);
      if (isKnown && cause.code === 'store_busy') warnOfCut(exchange, cause, deps.log);
      observeEnd(exchange, reply.status, isKnown ? cause : new Error('The reply was cut', { cause }), deps);
    },
  );
}

function toReply(error: Error, { request, requestId, operation }: Exchange, basePath: string): Reply {
  return toErrorPage(toErrorReply(error), error, { request, requestId, operation, basePath });
}

/** The client has got 200, and store-log.ts knows only of writes. */
function warnOfCut({ requestId, traceId, operation }: Exchange, { cause, message }: ServiceError, log: Log): void {
  const reason = cause instanceof Error ? cause.message : message;
  log.warn({ requestId, traceId, operation: operation?.operationId, reason }, 'A reply was cut');
}

/** @param status of the reply; undefined if the client disconnected before it. */
function observeEnd(exchange: Exchange, status: number | undefined, error: Error | undefined, deps: FinishDeps): void {
  const { requestId, traceId, request, operation, principal, trace } = exchange;
  const { method = '' } = request;
  if (error !== undefined && !isExpected(error))
    deps.log.error({ error, requestId, traceId, method, operation: operation?.operationId, status }, 'Request failed');
  const code = error === undefined ? undefined : error instanceof ServiceError ? error.code : 'internal';
  deps.accessLog.write(exchange, status, code, error instanceof TokenRefusedError ? error.refusal : undefined);
  deps.observer?.requestEnded({
    method,
    route: principal !== undefined || Number(status) < 300 ? operation?.path : undefined,
    status,
    seconds: (performance.now() - exchange.startedAt) / 1_000,
    isLong: exchange.route?.isLong === true,
    token: toTokenResult(exchange, status),
  });
  trace?.end({ route: operation?.path, status, error: isRefusal(error) ? undefined : code });
}

function toTokenResult({ principal, request }: Exchange, status: number | undefined) {
  if (principal !== undefined || status === 403) return 'valid';
  if (status !== 401) return undefined;
  return request.headers.authorization === undefined ? 'missing' : 'invalid';
}

/** Whether not to log it: refusals may be thousands a second; store-log.ts reports the store. */
function isExpected(error: Error): boolean {
  return isRefusal(error) || (error instanceof ServiceError && expectedErrors.has(error.code));
}

/** Whether the request is the reason. */
function isRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status < 500;
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
