/**
 * The rate limit per token (429): a token bucket. A request costs one when it arrives, and what it
 * has moved once it is answered.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Principal } from '../../domain/principal.ts';
import { HttpError } from '../wire/reply.ts';

export interface RateLimit {
  readonly requestsMax: number;
  readonly periodMs: number;
}

/**
 * Bytes of a request and its response that cost as much as a further request: about the same
 * CPU time.
 */
const bytesPerRequest = 4_096;
/** Maximum number of buckets; beyond, full ones are dropped, then all. */
const bucketsMax = 10_000;

interface Bucket {
  left: number;
  filledAt: number;
}

export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param now milliseconds of a monotonic clock. */
  constructor(limit: RateLimit, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /**
   * Takes a request now, and what it moves once it is answered.
   * @throws ServiceError like `take`.
   */
  limit(principal: Principal, { socket }: IncomingMessage, response: ServerResponse): void {
    this.take(principal);
    const before = bytesOf(socket);
    response.once('close', () => this.charge(principal, bytesOf(socket) - before));
  }

  /**
   * Takes one request from the caller's bucket.
   * @throws ServiceError `rate_limited`, with Retry-After and the fields of the IETF draft
   * "RateLimit header fields for HTTP".
   */
  take({ tokenId }: Principal): void {
    const { requestsMax, periodMs } = this.#limit;
    const now = this.#now();
    const bucket = this.#buckets.get(tokenId) ?? this.#addBucket(tokenId, now);
    bucket.left = Math.min(requestsMax, bucket.left + ((now - bucket.filledAt) * requestsMax) / periodMs);
    bucket.filledAt = now;
    if (bucket.left >= 1) {
      bucket.left -= 1;
      return;
    }
    const waitSeconds = Math.max(1, Math.ceil(((1 - bucket.left) * periodMs) / requestsMax / 1000));
    throw new HttpError('rate_limited', {
      'retry-after': String(waitSeconds),
      'ratelimit-policy': `"token";q=${requestsMax};w=${Math.ceil(periodMs / 1000)}`,
      ratelimit: `"token";r=0;t=${waitSeconds}`,
    });
  }

  /**
   * Takes what an answered request has moved. The bucket may owe as much as it can hold, so that a
   * long export ends in a wait of little more than one period.
   */
  charge({ tokenId }: Principal, bytes: number): void {
    const bucket = this.#buckets.get(tokenId);
    if (bucket === undefined) return;
    bucket.left = Math.max(-this.#limit.requestsMax, bucket.left - Math.trunc(bytes / bytesPerRequest));
  }

  #addBucket(tokenId: string, now: number): Bucket {
    if (this.#buckets.size >= bucketsMax) this.#dropFull(now);
    const bucket = { left: this.#limit.requestsMax, filledAt: now };
    this.#buckets.set(tokenId, bucket);
    return bucket;
  }

  /** A bucket untouched for a full period equals a new one. */
  #dropFull(now: number): void {
    for (const [tokenId, { filledAt }] of this.#buckets) {
      if (now - filledAt >= this.#limit.periodMs) this.#buckets.delete(tokenId);
    }
    if (this.#buckets.size >= bucketsMax) this.#buckets.clear();
  }
}

/** Bytes that a connection has moved so far. */
function bytesOf({ bytesRead, bytesWritten }: Socket): number {
  return bytesRead + bytesWritten;
}
