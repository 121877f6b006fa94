/** A rate limit (429): a token bucket for each key. A request costs one on arrival, then what it moves or does. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connectionOf } from '../wire/connection.ts';
import { HttpError } from '../wire/reply.ts';

export interface RateLimit {
  readonly requestsMax: number;
  readonly periodMs: number;
}

/** What a policy counts, by its name in header fields. */
const subjects = {
  token: 'requests with this token',
  client: 'requests from your network address',
  spaces: 'new spaces from your network address',
} as const;

/** Bytes of a request and its response that cost as much as a further request, in CPU time. */
const bytesPerRequest = 4_096;
/** Maximum number of buckets; beyond, full ones are dropped, then all. */
const bucketsMax = 10_000;

interface Bucket {
  left: number;
  filledAt: number;
}

/** A request with its response, and the bucket that is charged for what it moves. */
interface Chargeable {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The `Principal.limitKey` of a request that `limit` has let in. */
  chargedKey: string | undefined;
}

export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #name: keyof typeof subjects;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /**
   * @param name of the policy in header fields.
   * @param now milliseconds of a monotonic clock.
   */
  constructor(limit: RateLimit, name: keyof typeof subjects, now: () => number) {
    this.#limit = limit;
    this.#name = name;
    this.#now = now;
  }

  /**
   * Counts what a connection moves. Call it for each request, limited or not, so that one token
   * does not pay for another. A body may arrive with its head, before anyone can ask.
   */
  watch(exchange: Chargeable): void {
    const { socket } = exchange.request;
    exchange.response.once('close', () => {
      const connection = connectionOf(socket);
      const moved = socket.bytesRead + socket.bytesWritten;
      if (exchange.chargedKey !== undefined) this.charge(exchange.chargedKey, moved - connection.chargedBytes);
      connection.chargedBytes = moved;
    });
  }

  /**
   * Takes a request now, and what it moves once it is answered.
   * @throws ServiceError like `take`.
   */
  limit(key: string, exchange: Chargeable): void {
    this.take(key);
    exchange.chargedKey = key;
  }

  /**
   * Takes one request from the bucket.
   * @throws ServiceError `rate_limited`, with Retry-After and the fields of the IETF draft
   * "RateLimit header fields for HTTP".
   */
  take(key: string): void {
    const { requestsMax, periodMs } = this.#limit;
    const now = this.#now();
    const bucket = this.#buckets.get(key) ?? this.#addBucket(key, now);
    bucket.left = Math.min(requestsMax, bucket.left + ((now - bucket.filledAt) * requestsMax) / periodMs);
    bucket.filledAt = now;
    if (bucket.left >= 1) {
      bucket.left -= 1;
      return;
    }
    const waitSeconds = Math.max(1, Math.ceil(((1 - bucket.left) * periodMs) / requestsMax / 1000));
    const periodSeconds = Math.ceil(periodMs / 1000);
    throw new HttpError(
      'rate_limited',
      {
        'retry-after': String(waitSeconds),
        'ratelimit-policy': `"${this.#name}";q=${requestsMax};w=${periodSeconds}`,
        ratelimit: `"${this.#name}";r=0;t=${waitSeconds}`,
      },
      `Limit: ${requestsMax} ${subjects[this.#name]} in ${periodSeconds} s`,
    );
  }

  /**
   * Takes what an answered request has moved, or what a batch that runs has done, in bytes. The
   * bucket may owe as much as it can hold, so that a long export ends in a wait of little more than
   * one period.
   */
  charge(key: string, bytes: number): void {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return;
    bucket.left = Math.max(-this.#limit.requestsMax, bucket.left - Math.trunc(bytes / bytesPerRequest));
  }

  #addBucket(key: string, now: number): Bucket {
    if (this.#buckets.size >= bucketsMax) this.#dropFull(now);
    const bucket = { left: this.#limit.requestsMax, filledAt: now };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** A bucket untouched for a full period equals a new one. */
  #dropFull(now: number): void {
    for (const [key, { filledAt }] of this.#buckets) {
      if (now - filledAt >= this.#limit.periodMs) this.#buckets.delete(key);
    }
    if (this.#buckets.size >= bucketsMax) this.#buckets.clear();
  }
}
