/** When a failed delivery is tried again. */

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/**
 * The time before each further attempt, in milliseconds (Standard Webhooks 1.0, "Retries"). The
 * first two are short: a receiver that fails now and then would hold up its later changes for 5
 * s each time.
 */
export const retryDelaysMs: readonly number[] = [
  ...[second / 4, second, 5 * second, 5 * minute, 30 * minute],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour),
];
/** A webhook that only fails for this long, while a service runs, is disabled; in milliseconds. */
export const failingMsMax = 72 * hour;

/** Added to a delay at most, as a part of it: attempts of many webhooks spread. */
const jitterMax = 0.1;

/**
 * Returns when to try again; undefined if there was the last attempt.
 * @param attempts those that failed.
 * @param retryAfterMs what the receiver asked for.
 * @param random at least 0, less than 1.
 */
export function toNextAttempt(
  { attempts, retryAfterMs = 0 }: { readonly attempts: number; readonly retryAfterMs?: number | undefined },
  now: number,
  delaysMs: readonly number[],
  random: number,
): number | undefined {
  const delay = delaysMs[attempts - 1];
  if (delay === undefined) return undefined;
  return now + Math.max(Math.round(delay * (1 + jitterMax * random)), retryAfterMs);
}
