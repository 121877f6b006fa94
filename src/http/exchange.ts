/**
 * One request, from its arrival to the end of its reply: what its steps set for `finish`, which
 * reports it, and what a handler knows of its client. A sandbox also chooses the store by its
 * principal, and may cut its reply. What a step hands to the next one is in request-steps.ts.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '../contract/operations.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import type { RequestTrace, Traces } from '../observe/traces.ts';
import type { Client } from './operations/call.ts';
import type { Route } from './operations/handlers.ts';
import type { Access, AccessLog } from './steps/access-log.ts';
import { authenticate, permit, type PrincipalFinder } from './steps/authenticate.ts';
import type { FindAddress } from './steps/client-address.ts';
import type { RateLimiter } from './steps/rate-limit.ts';
import { requestIdField } from './wire/reply.ts';
import { parseTraceParent, toRequestId } from './wire/request-ids.ts';

export interface ExchangeDeps {
  readonly tracer?: Pick<Traces, 'beginRequest'> | undefined;
  readonly accessLog: AccessLog;
  readonly principals: PrincipalFinder;
  readonly rateLimiter?: RateLimiter | undefined;
  readonly findAddress: FindAddress;
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
  chargedKey: string | undefined;
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
      const { principals } = this.#deps;
      permit(await authenticate(this.request, principals), this.operation?.scope, principals);
      return true;
    } catch (error) {
      return !(error instanceof ServiceError && error.status < 500);
    }
  }

  charge(bytes: number): void {
    if (this.principal !== undefined) this.#deps.rateLimiter?.charge(this.principal.limitKey, bytes);
  }
}
