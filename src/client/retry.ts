/**
 * When a request is sent again, and after how long: exponential back-off with full jitter, and
 * Retry-After. Does not send anything.
 *
 * One rule for all operations: a request that was surely not executed is always sent again. One
 * that may have been executed is sent again only if repeating it cannot undo a change by
 * another client (decision CL1).
 */
import { requestTimeout, shuttingDown, storeBusy, storeFull, storeUnavailable } from '../domain/error-numbers.ts';
import { type ConnectionError, PlantStoreError } from './errors.ts';
import { isSurelyUnsent } from './node-failures.ts';

/** Options for retries; each has a default. */
export interface RetryOptions {
  /** Retries of one request. Default 4, with delays of at most 1.5 seconds in all; 0: none. */
  readonly retries?: number | undefined;
  /**
   * First back-off in milliseconds; doubles with each try. The delay is a random part of it.
   * Default 100.
   */
  readonly backOffMs?: number | undefined;
  /** Longest back-off in milliseconds. Default 5,000. */
  readonly backOffMsMax?: number | undefined;
  /** With a longer Retry-After the error is thrown at once. In seconds, default 60. */
  readonly retryAfterSecondsMax?: number | undefined;
}

/** A retry, before its delay. */
export interface Retry {
  /** 1 before the first retry of a request. */
  readonly attempt: number;
  readonly delayMs: number;
  readonly cause: PlantStoreError | ConnectionError;
}

/** Injectable clock and random source, for tests. */
export interface RetryEnvironment {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** From 0, included, to 1, excluded. */
  random(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

/** The default of `environment`: a test may replace only the clock. */
export const realEnvironment: RetryEnvironment = { now: () => Date.now(), random: () => Math.random(), sleep };

/** Statuses of temporary failures (RFC 9110, section 15; RFC 6585, section 4). */
const retryableStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

export function isRetryable(status: number): boolean {
  return retryableStatuses.has(status);
}

/**
 * What sending a request twice can do. `harmless`: it cannot undo a change by another client.
 * `harmful`: it can. `harmful-in-parts`: it can, and a refusal may come after some of its rows
 * were stored.
 */
export type Repetition = 'harmless' | 'harmful' | 'harmful-in-parts';

/** Errors after which nothing was written: request incomplete; store busy, full, or closing. */
const notExecutedErrors: ReadonlySet<number> = new Set([
  requestTimeout,
  storeBusy,
  storeFull,
  shuttingDown,
  storeUnavailable,
]);

/** Whether the service may have executed the failed request. True when in doubt. */
export function mayHaveBeenExecuted(
  cause: PlantStoreError | ConnectionError,
  repetition: Repetition = 'harmless',
): boolean {
  if (!(cause instanceof PlantStoreError)) return !isSurelyUnsent(cause.cause);
  if (cause.status === 429) return false;
  return repetition === 'harmful-in-parts' || !notExecutedErrors.has(cause.number);
}

/**
 * Milliseconds before the retry `attempt` (1 for the first); undefined if Retry-After exceeds
 * the caller's limit. Jitter is added to Retry-After, so that clients refused together do not
 * return together.
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

/** A longer timer of JavaScript fires at once. */
export const timerMsMax = 2 ** 31 - 1;

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted === true) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, Math.min(ms, timerMsMax));
    signal?.addEventListener('abort', end);
    if (signal?.aborted === true) end();
  });
}
