/**
 * One request, from its arrival to the end of its reply, which only `finish` sends. Steps set on it
 * what logs, metrics and traces report. A sandbox also chooses the store by its principal, and may
 * cut its reply. What a step hands to the next one is not here: see request-steps.ts.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '../contract/operations.ts';
import { type ErrorCode, ServiceError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { RequestTrace, Traces } from '../observe/traces.ts';
import type { Client } from './operations/call.ts';
import type { Route } from './operations/handlers.ts';
import { toErrorPage } from './pages/error-page.ts';
import type { Access, AccessLog } from './steps/access-log.ts';
import { authenticate, permit, type CallerFinder, TokenRefusedError } from './steps/authenticate.ts';
import type { Cors } from './steps/cors.ts';
import type { FindAddress } from './steps/client-address.ts';
import type { RateLimiter } from './steps/rate-limit.ts';
import type { Backlog } from './wire/backlog.ts';
import { ClientGoneError } from './wire/body.ts';
import { connectionOf } from './wire/connection.ts';
import { type Reply, requestIdField, sendReply, toErrorReply, toFields } from './wire/reply.ts';
import { parseTraceParent, toRequestId } from './wire/fields.ts';
import { sendHalf } from './wire/send-half.ts';
import { sendStream } from './wire/send-stream.ts';

export interface ExchangeDeps {
  readonly log: Log;
  readonly basePath: string;
  readonly observer?: Pick<Metrics, 'requestBegun' | 'requestEnded'> | undefined;
  readonly tracer?: Pick<Traces, 'beginRequest'> | undefined;
  readonly accessLog: AccessLog;
  readonly cors: Cors;
  readonly backlog: Backlog;
  readonly callers: CallerFinder;
  readonly rateLimiter?: RateLimiter | undefined;
  readonly findAddress: FindAddress;
  /** Aborted when the service begins to stop. */
  readonly stopping: AbortSignal;
  /** Aborted when the service accepts no more connections. */
  readonly shutdown: AbortSignal;
}

export class Exchange implements Access, Client {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly traceId: string | undefined;
  /** Undefined if the request is not followed. */
  readonly trace: RequestTrace | undefined;
  readonly startedAt = performance.now();
  readonly bytesBefore: number | undefined;
  /** Undefined until path and method are known, and for pages. */
  route: Route | undefined;
  /** Undefined until the token is checked, and for public operations. */
  principal: Principal | undefined;
  /** See `RateLimiter`. */
  payer: string | undefined;
  /** Whether the client gets half of the reply, then a reset. */
  isCut = false;
  readonly #deps: ExchangeDeps;

  constructor(request: IncomingMessage, response: ServerResponse, deps: ExchangeDeps) {
    const { accessLog, tracer } = deps;
    const parent = parseTraceParent(request);
    const scheme = 'encrypted' in request.socket ? 'https' : 'http';
    this.request = request;
    this.response = response;
    this.requestId = toRequestId(request.headers[requestIdField]);
    this.trace = tracer?.beginRequest(request.method ?? '', scheme, parent);
    this.traceId = this.trace?.traceId ?? parent?.traceId;
    this.bytesBefore = accessLog.hasAll ? request.socket.bytesWritten : undefined;
    this.#deps = deps;
  }

  /** Undefined as long as `route` is. */
  get operation(): Operation | undefined {
    return this.route?.operation;
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  get isHead(): boolean {
    return this.request.method === 'HEAD';
  }

  address(): string {
    return this.#deps.findAddress(this.request);
  }

  onGone(listener: () => void): void {
    if (this.response.destroyed) listener();
    else this.response.once('close', listener);
  }

  onHalfClosed(listener: () => void): void {
    const { socket } = this.request;
    if (socket.readableEnded) listener();
    else socket.once('end', listener);
    this.response.once('close', () => socket.off('end', listener));
  }

  async isAllowed(): Promise<boolean> {
    try {
      const { callers } = this.#deps;
      permit(await authenticate(this.request, callers), this.operation?.scope, callers);
      return true;
    } catch (error) {
      return !(error instanceof ServiceError && error.status < 500);
    }
  }

  charge(bytes: number): void {
    if (this.principal !== undefined) this.#deps.rateLimiter?.charge(this.principal.limitKey, bytes);
  }

  /** Sends the reply, or an error's, and reports the result: the only end of an exchange. */
  finish(outcome: Reply | Error): void {
    if (outcome instanceof ClientGoneError) {
      this.#report(undefined, undefined);
      return;
    }
    const { request, response } = this;
    const { cors, stopping, shutdown, backlog } = this.#deps;
    const reply = outcome instanceof Error ? this.#toErrorReply(outcome) : outcome;
    const error = outcome instanceof Error ? outcome : undefined;
    const fields = cors.addTo(toFields(reply.headers, this.requestId, request.socket), request.headers.origin);
    // While the service stops, makes clients open their next connection elsewhere, and lose no request.
    if (stopping.aborted) fields['connection'] = 'close';
    if (this.isCut) {
      const half = sendHalf(response, { ...reply, headers: fields });
      half.finally(() => this.#report(reply.status, error)).catch(() => undefined);
      return;
    }
    if (reply.stream === undefined) {
      sendReply(request, response, reply, fields);
      // The bytes of a page are the same for all connections, and cost none of them memory.
      if (typeof reply.body === 'string' || reply.isOwn === true)
        backlog.holdReply(connectionOf(request.socket), response);
      this.#report(reply.status, error);
      return;
    }
    const sent = { stream: reply.stream, backlog, end: reply.isEndless === true ? shutdown : reply.end };
    sendStream(request, response, reply.status, fields, sent).then(
      () => this.#report(reply.status, undefined),
      (cause: unknown) => {
        const isKnown = cause instanceof ServiceError && isExpected(cause);
        if (isKnown && cause.code === 'store_busy') this.#warnOfCut(cause);
        this.#report(reply.status, isKnown ? cause : new Error('The reply was cut', { cause }));
      },
    );
  }

  #toErrorReply(error: Error): Reply {
    const { request, requestId, operation } = this;
    return toErrorPage(toErrorReply(error), error, { request, requestId, operation, basePath: this.#deps.basePath });
  }

  /** The client was told 200, and store-log.ts knows only of writes. */
  #warnOfCut({ cause, message }: ServiceError): void {
    const { requestId, traceId, operation } = this;
    const reason = cause instanceof Error ? cause.message : message;
    this.#deps.log.warn({ requestId, traceId, operation: operation?.operationId, reason }, 'A reply was cut');
  }

  /** @param status of the reply; undefined if the client disconnected before it. */
  #report(status: number | undefined, error: Error | undefined): void {
    const { log, accessLog, observer } = this.#deps;
    const { requestId, traceId, request, operation, principal, trace } = this;
    const { method = '' } = request;
    if (error !== undefined && !isExpected(error))
      log.error({ error, requestId, traceId, method, operation: operation?.operationId, status }, 'Request failed');
    const code = error === undefined ? undefined : error instanceof ServiceError ? error.code : 'internal';
    accessLog.write(this, status, code, error instanceof TokenRefusedError ? error.refusal : undefined);
    observer?.requestEnded({
      method,
      route: principal !== undefined || Number(status) < 300 ? operation?.path : undefined,
      status,
      seconds: (performance.now() - this.startedAt) / 1_000,
      isStream: this.route?.isLong === true,
      token: toTokenResult(this, status),
    });
    trace?.end({ route: operation?.path, status, error: isRefusal(error) ? undefined : code });
  }
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
