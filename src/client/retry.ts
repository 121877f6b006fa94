/** When a request is sent again, and after how long: back-off with full jitter, and Retry-After. Sending is not done here. */
import type { ConnectionError, PlantStoreError } from './errors.ts';

/** What a client may be told about retries; every member has a default. */
export interface RetryOptions {
  /** How often one request is sent again after its first try. Default 4, which waits at most 1.5 seconds in all; 0: never. */
  readonly retries?: number;
  /** The back-off begins here and doubles with each try, in milliseconds; the wait is a random part of it. Default 100. */
  readonly backOffMs?: number;
  /** The back-off grows up to here, in milliseconds. Default 5,000. */
  readonly backOffMsMax?: number;
  /** A Retry-After of more seconds than this is not waited for: the error is thrown at once, and carries it. Default 60. */
  readonly retryAfterSecondsMax?: number;
}

/** One retry that is about to be waited for. */
export interface Retry {
  /** 1 before the first retry of a request. */
  readonly attempt: number;
  readonly delayMs: number;
  readonly cause: PlantStoreError | ConnectionError;
}

/** Clock and chance, so that a test can hold both still. */
export interface Surroundings {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** From 0, included, to 1, excluded. */
  random(): number;
  /** Resolves after so many milliseconds; rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

export const realSurroundings: Surroundings = { now: () => Date.now(), random: () => Math.random(), sleep };

/** Statuses after which the same request may be answered otherwise (RFC 9110, section 15; RFC 6585, section 4). */
const passingStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

export function isPassing(status: number): boolean {
  return passingStatuses.has(status);
}

/**
 * Milliseconds to wait before the retry `attempt` (1 for the first); undefined when the service asks for more than the caller would wait.
 * With Retry-After the jitter comes on top of it, so that the clients that were refused together do not come back together.
 */
export function toDelayMs(
  attempt: number,
  retryAfterSeconds: number | undefined,
  { backOffMs = 100, backOffMsMax = 5_000, retryAfterSecondsMax = 60 }: RetryOptions,
  random: () => number,
): number | undefined {
  if (retryAfterSeconds !== undefined && retryAfterSeconds > retryAfterSecondsMax) return undefined;
  const jitterMs = random() * Math.min(backOffMsMax, backOffMs * 2 ** (attempt - 1));
  return Math.round((retryAfterSeconds ?? 0) * 1000 + jitterMs);
}

/** The seconds of a Retry-After field, a number or a date (RFC 9110, section 10.2.3); undefined when it is neither. */
export function parseRetryAfter(field: string | null, now: number): number | undefined {
  if (field === null) return undefined;
  if (/^\d{1,9}$/.test(field)) return Number(field);
  const at = field.endsWith('GMT') ? Date.parse(field) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted === true) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    if (signal?.aborted === true) end();
  });
}
