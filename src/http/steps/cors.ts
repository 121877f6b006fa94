/** Cross-origin answers for browsers (fetch.spec.whatwg.org, section 3.2): off unless origins are configured. */
import type { IncomingMessage } from 'node:http';
import { type Answer, securityHeaders } from '../wire/reply.ts';

const exposedFields = 'ETag, Idempotent-Replayed, Link, Location, Plants-Stored, Retry-After';
const allowedFields = 'Authorization, Content-Type, If-Match, If-None-Match';
/** How long a browser may remember a preflight, in seconds: two hours, the most that Chromium believes. */
const preflightSeconds = 7200;

export class Cors {
  readonly #origins: ReadonlySet<string>;

  /** @param origins as browsers send them; `*` alone means any. */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  get isOn(): boolean {
    return this.#origins.size > 0;
  }

  /** The answer with the fields that every one has while it is on. Vary keeps a cache from handing one origin's answer to another. */
  addTo(answer: Answer, { headers }: IncomingMessage): Answer {
    const origin = this.#allowed(headers.origin);
    const vary = answer.headers['vary'] === undefined ? 'Origin' : `${answer.headers['vary']}, Origin`;
    const permission =
      origin === undefined
        ? {}
        : { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposedFields };
    return { ...answer, headers: { ...answer.headers, vary, ...permission } };
  }

  /** The answer to a preflight of an allowed origin, which needs no token; undefined when the request is none. */
  answerPreflight(request: IncomingMessage, methods: readonly string[]): Answer | undefined {
    const { origin, 'access-control-request-method': wanted } = request.headers;
    if (request.method !== 'OPTIONS' || wanted === undefined || this.#allowed(origin) === undefined) return undefined;
    return {
      status: 204,
      headers: {
        ...securityHeaders,
        'access-control-allow-methods': methods.join(', '),
        'access-control-allow-headers': allowedFields,
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
