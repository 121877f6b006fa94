/** CORS (fetch.spec.whatwg.org, section 3.2): off unless origins are configured. */
import type { IncomingMessage } from 'node:http';
import { type Reply, securityHeaders } from '../wire/reply.ts';

/**
 * All that the description names and a page could use; Cache-Control is readable by any.
 * Preference-Applied is of a sandbox.
 */
const exposedFields = [
  ...['Accept', 'Accept-Encoding', 'Accept-Patch', 'Allow', 'ETag', 'Group-Plants', 'Idempotent-Replayed', 'Link'],
  'Location',
  ...['Plants-Stored', 'Preference-Applied', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'WWW-Authenticate'],
  'X-Request-Id',
].join(', ');
const allowedFields = [
  ...['Authorization', 'Content-Type', 'If-Match', 'If-None-Match', 'Last-Event-ID', 'Prefer', 'traceparent'],
  'X-Request-Id',
].join(', ');
/**
 * The same methods for each path, even an unknown one: a page then sees the 404 or 405 of its
 * request.
 */
const allowedMethods = 'DELETE, GET, HEAD, PATCH, POST, PUT';
/** How long a browser may cache a preflight, in seconds: two hours, the maximum of Chromium. */
const preflightSeconds = 7200;

export class Cors {
  readonly #origins: ReadonlySet<string>;

  /** @param origins as browsers send them; `*` alone allows any. */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** Adds the header fields of every reply with CORS. Vary keeps caches from mixing origins. */
  addTo(fields: Record<string, string>, sentOrigin: string | undefined): Record<string, string> {
    if (this.#origins.size === 0) return fields;
    const origin = this.#allowed(sentOrigin);
    const vary = fields['vary'] === undefined ? 'Origin' : `${fields['vary']}, Origin`;
    const permission =
      origin === undefined
        ? {}
        : { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposedFields };
    return { ...fields, vary, ...permission };
  }

  /** Returns the reply to a preflight of an allowed origin; undefined if it is none. */
  replyToPreflight(request: IncomingMessage): Reply | undefined {
    const {
      origin,
      'access-control-request-method': wanted,
      'access-control-request-headers': fields,
    } = request.headers;
    if (request.method !== 'OPTIONS' || wanted === undefined || this.#allowed(origin) === undefined) return undefined;
    return {
      status: 204,
      headers: {
        ...securityHeaders,
        'access-control-allow-methods': allowedMethods,
        // Whoever lets any origin in lets tools in, which send fields of their own.
        'access-control-allow-headers': this.#origins.has('*') && fields !== undefined ? fields : allowedFields,
        'access-control-max-age': String(preflightSeconds),
      },
    };
  }

  #allowed(origin: string | undefined): string | undefined {
    if (origin === undefined) return undefined;
    if (this.#origins.has('*')) return '*';
    return this.#origins.has(origin) ? origin : undefined;
  }
}
