/** Replies: their type, their errors, and how they are sent. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import { toJson } from '../../json/to-json.ts';
import { connectionOf } from './connection.ts';
import type { ContentStream } from './send-stream.ts';

/** A response to send. Header names are in lower case. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent if the reply has no content. Bytes are shared by all replies that have them. */
  readonly body?: string | Uint8Array;
  /** Whether bytes in `body` count as memory of the connection: few replies share them. */
  readonly isOwn?: boolean;
  /** Content produced while it is sent (send-stream.ts), instead of `body`. */
  readonly stream?: ContentStream;
  /** Once aborted, a client that does not read the stream is disconnected. */
  readonly end?: AbortSignal;
}

/**
 * Header fields of every reply: no sniffing, no cache, no execution (OWASP REST Security Cheat
 * Sheet).
 */
export const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
} as const;

const jsonHeaders = { ...securityHeaders, 'content-type': 'application/json' } as const;

/** Seconds until a retry, if the store is busy or full, or the service shuts down. */
const retryAfterSeconds = 1;
/** Begins the field WWW-Authenticate (RFC 6750, section 3). */
export const challenge = 'Bearer realm="plants"';

/** Header fields of errors: RFC 6750, section 3, and RFC 9110, section 10.2.3. */
const errorHeaders: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  credentials_misplaced: { 'www-authenticate': `${challenge}, error="invalid_request"` },
  token_missing: { 'www-authenticate': challenge },
  token_invalid: { 'www-authenticate': `${challenge}, error="invalid_token"` },
  store_busy: { 'retry-after': String(retryAfterSeconds) },
  store_full: { 'retry-after': String(retryAfterSeconds) },
  store_failed: { 'retry-after': String(retryAfterSeconds) },
  shutting_down: { 'retry-after': String(retryAfterSeconds) },
  store_unavailable: { 'retry-after': String(retryAfterSeconds) },
  issuer_unavailable: { 'retry-after': String(retryAfterSeconds) },
  request_timeout: { connection: 'close' },
};

/** One year: browsers use TLS only for this host from then on (RFC 6797). */
const transportSecurity = { 'strict-transport-security': 'max-age=31536000' };

/** The header field with the id of the request. */
export const requestIdField = 'x-request-id';

/**
 * Returns new header fields: those of a reply, the id of its request, and the one for browsers if
 * the connection has TLS of the service's own. A proxy with TLS adds its own.
 */
export function toFields(headers: Reply['headers'], requestId: string, socket: Socket): Record<string, string> {
  const fields = { ...headers, [requestIdField]: requestId };
  return 'encrypted' in socket ? { ...fields, ...transportSecurity } : fields;
}

/** Sends available content. @param fields is changed. */
export function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body }: Reply,
  fields: Record<string, string>,
): void {
  if (body !== undefined) fields['content-length'] = String(Buffer.byteLength(body));
  const connection = connectionOf(request.socket);
  if (fields['connection'] === undefined && connection.canStayOpen(request)) {
    response.writeHead(status, fields).end(body);
  } else {
    fields['connection'] = 'close';
    connection.sendLast(response.writeHead(status, fields), body);
  }
}

/** An error with header fields that depend on the request, such as Allow. */
export class HttpError extends ServiceError {
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, headers: Readonly<Record<string, string>>, detail?: string) {
    super(code, { detail });
    this.headers = headers;
  }
}

/** Returns 200, or another success, with a JSON text. */
export function ok(json: string, headers?: Readonly<Record<string, string>>): Reply {
  return { status: 200, headers: headers === undefined ? jsonHeaders : { ...jsonHeaders, ...headers }, body: json };
}

/** Returns 201 with a JSON text and the address of what was created. */
export function created(json: string, location: string): Reply {
  return { status: 201, headers: { ...jsonHeaders, location }, body: json };
}

/** Returns 304, if the client has this version. */
export function notModified(headers: Readonly<Record<string, string>>): Reply {
  return { status: 304, headers: { ...securityHeaders, ...headers } };
}

/** Returns 204. */
export function noContent(): Reply {
  return { status: 204, headers: securityHeaders };
}

/** Returns a time as replies have it, in ISO 8601. @param ms since 1970. */
export function toTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Converts a time that may be absent. */
export function toOptionalTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : toTime(ms);
}

/** Returns the Error shape. Anything but a ServiceError becomes `internal`, without its message. */
export function toErrorReply(error: unknown): Reply {
  const known = error instanceof ServiceError ? error : new ServiceError('internal');
  return {
    status: known.status,
    headers: { ...jsonHeaders, ...errorHeaders[known.code], ...(known instanceof HttpError ? known.headers : {}) },
    body: toJson({ error: known.number, message: known.message }),
  };
}

interface MissingScope {
  /** What the client can do. Default: the scope that is required. */
  readonly why?: string | undefined;
  /** What the token has in its place. */
  readonly description?: string | undefined;
}

/** Returns the challenge for a missing scope (RFC 6750, section 3.1). */
export function scopeMissing(scope: string, { why = `Required: ${scope}`, description }: MissingScope = {}): HttpError {
  const given = description === undefined ? '' : `, error_description="${description}"`;
  const fields = { 'www-authenticate': `${challenge}, error="insufficient_scope", scope="${scope}"${given}` };
  return new HttpError('scope_missing', fields, description === undefined ? why : `${why}. ${description}`);
}
