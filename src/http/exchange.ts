/** One request from its arrival to the end of its reply. Observers of requests attach here. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '../contract/operations.ts';
import { type ErrorCode, ServiceError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { RequestTrace, Traces } from '../observe/traces.ts';
import type { Backlog } from './wire/backlog.ts';
import { toErrorPage } from './pages/error-page.ts';
import { ClientGoneError } from './wire/body.ts';
import type { Access, AccessLog } from './steps/access-log.ts';
import type { InvalidTokens } from './steps/authenticate.ts';
import type { Cors } from './steps/cors.ts';
import { type Reply, requestIdField, sendReply, toErrorReply, toFields } from './wire/reply.ts';
import { parseTraceParent, toRequestId } from './wire/request-id.ts';
import { sendHalf } from './wire/send-half.ts';
import { sendStream } from './wire/send-stream.ts';

export interface Exchange extends Access {
  readonly response: ServerResponse;
  /** Undefined until path and method are known, and for pages. */
  operation: Operation | undefined;
  /** Undefined until the token is checked, and for public operations. */
  principal: Principal | undefined;
  /** Whether the client gets half of the reply, then a reset. */
  isCut: boolean;
  /** Undefined if the request is not followed. */
  readonly trace: RequestTrace | undefined;
}

/** The beginning of an exchange: nothing but the request is known. */
export function begin(
  request: IncomingMessage,
  response: ServerResponse,
  { accessLog, tracer }: ExchangeDeps,
): Exchange {
  const parent = parseTraceParent(request);
  const trace = tracer?.beginRequest(request.method ?? '', 'encrypted' in request.socket ? 'https' : 'http', parent);
  return {
    request,
    response,
    requestId: toRequestId(request.headers[requestIdField]),
    traceId: trace?.traceId ?? parent?.traceId,
    startedAt: performance.now(),
    bytesBefore: accessLog.hasAll ? request.socket.bytesWritten : undefined,
    operation: undefined,
    principal: undefined,
    isCut: false,
    trace,
  };
}

export interface ExchangeDeps {
  readonly log: Log;
  readonly basePath: string;
  readonly observer?: Pick<Metrics, 'requestBegun' | 'requestEnded'> | undefined;
  readonly tracer?: Pick<Traces, 'beginRequest'> | undefined;
  readonly accessLog: AccessLog;
  readonly cors: Cors;
  readonly backlog: Backlog;
  readonly invalidTokens: InvalidTokens;
  /** Aborted when the service starts to shut down. */
  readonly shutdown: AbortSignal;
}

/** Sends the reply, or an error's, and reports the result: the only end of an exchange. */
export function finish(exchange: Exchange, outcome: Reply | Error, deps: ExchangeDeps): void {
  if (outcome instanceof ClientGoneError) {
    report(exchange, undefined, undefined, deps);
    return;
  }
  if (outcome instanceof ServiceError && outcome.code === 'token_invalid') deps.invalidTokens.note();
  const reply = outcome instanceof Error ? toReplyOf(outcome, exchange, deps) : outcome;
  const error = outcome instanceof Error ? outcome : undefined;
  const { request, response } = exchange;
  const own = toFields(reply.headers, exchange.requestId, request.socket);
  const fields = deps.cors.addTo(own, request.headers.origin);
  // During shutdown, makes clients open their next connection elsewhere, and lose no request.
  if (deps.shutdown.aborted) fields['connection'] = 'close';
  if (exchange.isCut) {
    const half = sendHalf(response, { ...reply, headers: fields });
    half.finally(() => report(exchange, reply.status, error, deps)).catch(() => undefined);
    return;
  }
  if (reply.stream === undefined) {
    sendReply(request, response, reply, fields);
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
      report(exchange, reply.status, isRefusal(cause) ? cause : new Error('The reply was cut', { cause }), deps);
    },
  );
}

function toReplyOf(error: Error, { request, requestId, operation }: Exchange, { basePath }: ExchangeDeps): Reply {
  return toErrorPage(toErrorReply(error), error, { request, requestId, basePath, operation });
}

/** @param status of the reply; undefined if the client disconnected before it. */
function report(
  exchange: Exchange,
  status: number | undefined,
  error: Error | undefined,
  { log, accessLog, observer }: ExchangeDeps,
): void {
  if (error !== undefined && !isExpected(error)) {
    const { requestId, traceId, request, operation } = exchange;
    const { method } = request;
    log.error({ error, requestId, traceId, method, operation: operation?.operationId, status }, 'Request failed');
  }
  const code = error === undefined ? undefined : error instanceof ServiceError ? error.code : 'internal';
  accessLog.note(exchange, status, code);
  observer?.requestEnded({
    method: exchange.request.method ?? '',
    route: exchange.principal !== undefined || Number(status) < 300 ? exchange.operation?.path : undefined,
    status,
    seconds: (performance.now() - exchange.startedAt) / 1_000,
    isStream: streamedPaths.has(exchange.operation?.path ?? ''),
    token: toTokenResult(exchange, status),
  });
  exchange.trace?.end({
    route: exchange.operation?.path,
    status,
    error: isRefusal(error) ? undefined : code,
  });
}

/** They last as long as their client wants. */
const streamedPaths: ReadonlySet<string> = new Set(['/plants/export', '/plants/import', '/plants/changes']);

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
