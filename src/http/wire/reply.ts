/** Replies: what one is, how an error becomes one, and how it is sent. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import { canStayOpen, sendLast } from './linger.ts';
import type { ContentStream } from './send-stream.ts';

/** What is sent. Header names are in lower case. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: the reply has no content. */
  readonly body?: string | Uint8Array;
  /** Content that is produced while it is sent (send-stream.ts), instead of `body`. */
  readonly stream?: ContentStream;
}

/**
 * The header fields of every answer: no sniffing, no caching of what a token guards, and nothing to run, should a browser take an answer for a page
 * (OWASP REST Security Cheat Sheet).
 */
export const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
} as const;

const jsonHeaders = { ...securityHeaders, 'content-type': 'application/json' } as const;

/** Seconds after which a client may try again when the store is busy, full or closing. */
const retryAfterSeconds = 1;
const challenge = 'Bearer realm="plants"';

/** Header fields that belong to an error wherever it comes from: RFC 6750, section 3, and RFC 9110, section 10.2.3. */
const errorHeaders: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  credentials_misplaced: { 'www-authenticate': `${challenge}, error="invalid_request"` },
  token_missing: { 'www-authenticate': challenge },
  token_invalid: { 'www-authenticate': `${challenge}, error="invalid_token"` },
  store_busy: { 'retry-after': String(retryAfterSeconds) },
  store_full: { 'retry-after': String(retryAfterSeconds) },
  store_failed: { 'retry-after': String(retryAfterSeconds) },
  shutting_down: { 'retry-after': String(retryAfterSeconds) },
  store_unavailable: { 'retry-after': String(retryAfterSeconds) },
  request_timeout: { connection: 'close' },
};

/** Sends a reply whose content is at hand. */
export function sendReply(request: IncomingMessage, response: ServerResponse, { status, headers, body }: Reply): void {
  const fields: Record<string, string | number> = { ...headers };
  if (body !== undefined) fields['content-length'] = Buffer.byteLength(body);
  if (fields['connection'] === undefined && canStayOpen(request)) response.writeHead(status, fields).end(body);
  else sendLast(response.writeHead(status, { ...fields, connection: 'close' }), body);
}

/** An error whose reply needs header fields that depend on the request, such as Allow. */
export class HttpError extends ServiceError {
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, headers: Readonly<Record<string, string>>, detail?: string) {
    super(code, detail === undefined ? {} : { detail });
    this.headers = headers;
  }
}

/** 200, or another success, with a JSON text. */
export function ok(json: string, headers?: Readonly<Record<string, string>>): Reply {
  return { status: 200, headers: headers === undefined ? jsonHeaders : { ...jsonHeaders, ...headers }, body: json };
}

/** 304, for a client that has this version already. */
export function notModified(headers: Readonly<Record<string, string>>): Reply {
  return { status: 304, headers: { ...securityHeaders, ...headers } };
}

/** 204: done, and there is nothing to say about it. */
export function noContent(): Reply {
  return { status: 204, headers: securityHeaders };
}

/** The Error shape. What is no ServiceError is a fault of ours: `internal`, and its text stays inside. */
export function toErrorReply(error: unknown): Reply {
  const known = error instanceof ServiceError ? error : new ServiceError('internal');
  return {
    status: known.status,
    headers: { ...jsonHeaders, ...errorHeaders[known.code], ...(known instanceof HttpError ? known.headers : {}) },
    body: JSON.stringify({ error: known.number, message: known.message }),
  };
}

/** The challenge of a token without the scope, RFC 6750, section 3.1. */
export function scopeMissing(scope: string): HttpError {
  const fields = { 'www-authenticate': `${challenge}, error="insufficient_scope", scope="${scope}"` };
  return new HttpError('scope_missing', fields, `Required: ${scope}`);
}
