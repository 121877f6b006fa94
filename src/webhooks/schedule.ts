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

export interface Tried {
  /** Those that failed. */
  readonly attempts: number;
  /** Time since the first. */
  readonly ageMs: number;
  /** What the receiver asked for. */
  readonly retryAfterMs?: number | undefined;
  /** When it was due; later than now if somebody asked for it earlier. */
  readonly dueAt?: number | undefined;
}

/**
 * Returns when to try again; undefined if there was the last attempt. One that came before its
 * time, since somebody has asked for it, leaves the next where it was, and does not end the delivery
 * before its time.
 * @param random at least 0, less than 1.
 */
export function toNextAttempt(
  { attempts, ageMs, retryAfterMs = 0, dueAt = 0 }: Tried,
  now: number,
  delaysMs: readonly number[],
  random: number,
): number | undefined {
  if (dueAt > now) return Math.max(dueAt, now + retryAfterMs);
  const isEarly = ageMs < delaysMs.reduce((sum, delayMs) => sum + delayMs, 0);
  const delay = delaysMs[attempts - 1] ?? (isEarly ? delaysMs.at(-1) : undefined);
  if (delay === undefined) return undefined;
  return now + Math.max(Math.round(delay * (1 + jitterMax * random)), retryAfterMs);
}
