/**
 * Logs failed requests, or all requests. Never the target or the query, which may contain a token
 * or data; every text is ours or of a checked form, so that no client writes a line of its own.
 */
import type { IncomingMessage } from 'node:http';
import type { Operation } from '../../contract/operations.ts';
import type { ErrorCode, ServiceError } from '../../domain/errors.ts';
import type { Principal, TokenRefusal } from '../../domain/principal.ts';
import { LineLimit } from '../../observe/line-limit.ts';
import type { Log } from '../../observe/log.ts';
import { findClient, type IsTrusted } from './client-address.ts';

/** `errors`: status 500 and above, 401, 403 and 429. */
export type AccessLogMode = 'off' | 'errors' | 'all';

/** Limits the lines of the mode `errors`: guesses of tokens do not fill a disk. */
const limits = { linesMax: 10, periodMs: 1_000 };
const loggedStatuses: ReadonlySet<number> = new Set([401, 403, 429]);

/** A request, as far as it is known. */
export interface Access {
  readonly request: IncomingMessage;
  readonly requestId: string;
  readonly traceId: string | undefined;
  /** Monotonic clock, in milliseconds. */
  readonly startedAt: number;
  /** Bytes that its connection had sent when the request came; only if all requests are logged. */
  readonly bytesBefore: number | undefined;
  readonly operation: Operation | undefined;
  readonly principal: Principal | undefined;
}

export interface AccessLogOptions {
  readonly mode: AccessLogMode;
  readonly isTrusted: IsTrusted;
  readonly log: Pick<Log, 'info' | 'debug' | 'isLevelEnabled'>;
}

export class AccessLog {
  /** Whether each request has a line. */
  readonly hasAll: boolean;
  readonly #options: AccessLogOptions;
  readonly #limit: LineLimit;

  constructor(options: AccessLogOptions) {
    this.#options = options;
    this.#limit = new LineLimit(limits, (requests) =>
      options.log.info({ requests }, 'Further requests failed in this second'),
    );
    this.hasAll = options.mode === 'all' || options.log.isLevelEnabled('debug');
  }

  /**
   * @param status of the reply; undefined if the client disconnected before it.
   * @param code why it failed; undefined if it did not.
   * @param refusal why its token was refused; undefined if it was not.
   */
  write(access: Access, status: number | undefined, code: ErrorCode | undefined, refusal?: TokenRefusal): void {
    const { log } = this.#options;
    const level = this.#isListed(status) ? 'info' : 'debug';
    if (level === 'debug' && !log.isLevelEnabled(level)) return;
    const { reason = code === 'scope_missing' ? access.principal?.scopeOrigin : undefined, tokenId } = refusal ?? {};
    const fields = this.#toFields(access, status, code);
    log[level]({ ...fields, token: fields['token'] ?? tokenId, reason }, 'Replied');
  }

  /** Writes the line of a request that the parser refused. Nothing else is known of the request. */
  writeRefused(requestId: string, { status, code }: ServiceError, client: string | undefined): void {
    const { log } = this.#options;
    const fields = { requestId, status, code, client };
    if (this.#isListed(status)) log.info(fields, 'Refused');
    else if (log.isLevelEnabled('debug')) log.debug(fields, 'Refused');
  }

  #isListed(status: number | undefined): boolean {
    const { mode } = this.#options;
    if (mode !== 'errors') return mode === 'all';
    if (status === undefined || (status < 500 && !loggedStatuses.has(status))) return false;
    return this.#limit.take();
  }

  #toFields(access: Access, status: number | undefined, code: ErrorCode | undefined): Record<string, unknown> {
    const { request, requestId, traceId, startedAt, bytesBefore, operation, principal } = access;
    return {
      requestId,
      traceId,
      method: request.method,
      route: operation?.path,
      operation: operation?.operationId,
      status,
      code,
      durationMs: toMilliseconds(performance.now() - startedAt),
      bytesOut: bytesBefore === undefined ? undefined : request.socket.bytesWritten - bytesBefore,
      client: findClient(request, this.#options.isTrusted),
      token: principal?.tokenId,
    };
  }
}

/** With three decimals: the clock has no more. */
function toMilliseconds(duration: number): number {
  return Math.round(duration * 1_000) / 1_000;
}
