/**
 * What an event means for the progress of a webhook and for its delivery, and when a failed one is tried
 * again: one reducer, pure.
 */
import type { DeliveryRecord, Failing, WebhookProgress, WebhookRecord } from '../domain/webhooks.ts';
import { toWebhookState } from '../domain/webhooks.ts';
import type { SendResult } from './sender.ts';

export type DeliveryEvent =
  | ({ readonly kind: 'tried' } & Attempt)
  /** The delivery that waited was delivered by a retry, or is not there. */
  | { readonly kind: 'settled'; readonly position: string }
  /** There is nothing to deliver up to this position. */
  | { readonly kind: 'passed'; readonly position: string }
  /** The log cannot be read on from the position. */
  | { readonly kind: 'skipped'; readonly position: string; readonly notice: string }
  | { readonly kind: 'disabled'; readonly reason: string }
  /** The reason for which the service disabled it is gone. */
  | { readonly kind: 'enabled' };

export interface Attempt {
  readonly delivery: DeliveryRecord;
  readonly result: SendResult;
  /** Since the last failed attempt, by a monotonic clock; a lower bound. */
  readonly elapsedMs: number;
  readonly delaysMs: readonly number[];
  /** At least 0, less than 1. */
  readonly random: number;
}

export interface Outcome {
  readonly progress: WebhookProgress;
  readonly delivery?: DeliveryRecord;
}

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/**
 * The time before each further attempt, in milliseconds (Standard Webhooks 1.0, "Retries"). The
 * first two are short: a receiver that fails now and then would hold up its later changes for 5
 * s each time (decision WE5).
 */
export const retryDelaysMs: readonly number[] = [
  ...[second / 4, second, 5 * second, 5 * minute, 30 * minute],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour),
];
/** A webhook that only fails for this long, while a service runs, is disabled; in milliseconds. */
const failingMsMax = 72 * hour;

/** Added to a delay at most, as a part of it: attempts of many webhooks spread. */
const jitterMax = 0.1;

const gone = 410;

export function advance(webhook: WebhookRecord, event: DeliveryEvent, now: number): Outcome {
  const progress = toCurrent(webhook);
  const { waiting, ...going } = progress;
  switch (event.kind) {
    case 'tried':
      return toOutcome(progress, event, now);
    case 'settled':
      return { progress: { ...going, position: event.position } };
    case 'passed':
      return { progress: { ...progress, position: event.position } };
    case 'skipped':
      return { progress: { ...progress, position: event.position, notice: event.notice } };
    case 'disabled':
      return { progress: { ...progress, disabledReason: event.reason } };
    case 'enabled':
      return { progress: toEnabled(progress) };
  }
}

/** The progress under the settings of now, which have taken over what earlier ones noted. */
function toCurrent(webhook: WebhookRecord): WebhookProgress {
  const { failing, isChanged } = toWebhookState(webhook);
  const { failing: _, disabledReason, notice, ...kept } = webhook.progress;
  return {
    ...(isChanged ? kept : webhook.progress),
    ...(failing === undefined ? {} : { failing }),
    version: webhook.settings.version,
  };
}

function toEnabled({ disabledReason, ...progress }: WebhookProgress): WebhookProgress {
  return progress;
}

function toOutcome(progress: WebhookProgress, attempt: Attempt, now: number): Outcome {
  const { delivery, result, delaysMs, random } = attempt;
  const tried = toTried(delivery, result, now);
  const { waiting, failing, ...going } = progress;
  const deliveries = Math.max(progress.deliveries, delivery.number);
  const done = { ...going, deliveries, position: delivery.position };
  if (result.isDelivered) return { progress: done, delivery: { ...tried, status: 'delivered' } };

  const still = toFailing(progress, attempt, now);
  const isGone = result.responseStatus === gone;
  // After a last attempt in the future, the clock was set back: the due time means nothing.
  const dueAt = delivery.lastAttemptAt <= now ? delivery.nextAttemptAt : undefined;
  const soFar = { ...result, attempts: tried.attempts, ageMs: now - delivery.createdAt, dueAt };
  const nextAttemptAt = isGone ? now : toNextAttempt(soFar, now, delaysMs, random);
  // Given up: it is kept, and the webhook goes on.
  if (nextAttemptAt === undefined)
    return { progress: { ...done, failing: still }, delivery: { ...tried, status: 'failed' } };

  const disabledReason = isGone
    ? 'The receiver responded with status 410 (gone): it wants no more requests'
    : still.lastsMs >= failingMsMax
      ? `Every attempt failed since ${new Date(still.since).toISOString()}. Fix the receiver, then enable the webhook again`
      : undefined;
  return {
    progress: {
      ...going,
      deliveries,
      waiting: delivery.id,
      failing: still,
      ...(disabledReason === undefined ? {} : { disabledReason }),
    },
    delivery: { ...tried, status: 'waiting', nextAttemptAt },
  };
}

/** Only time on which both clocks agree counts: a clock that is set ahead disables nothing. */
function toFailing({ failing, version }: WebhookProgress, { elapsedMs }: Attempt, now: number): Failing {
  if (failing === undefined) return { since: now, at: now, lastsMs: 0, version };
  const lastsMs = failing.lastsMs + Math.max(0, Math.min(elapsedMs, now - failing.at));
  return { ...failing, at: now, lastsMs };
}

/** The delivery after one more attempt. A delivered one needs its body no more. */
export function toTried(delivery: DeliveryRecord, result: SendResult, now: number): DeliveryRecord {
  const { nextAttemptAt, responseStatus, error, body, ...kept } = delivery;
  return {
    ...kept,
    attempts: delivery.attempts + 1,
    lastAttemptAt: now,
    ...(result.responseStatus === undefined ? {} : { responseStatus: result.responseStatus }),
    ...(result.error === undefined ? {} : { error: result.error }),
    ...(result.isDelivered || body === undefined ? {} : { body }),
  };
}

interface Tried {
  /** The number of attempts that failed. */
  readonly attempts: number;
  /** Time since the first attempt. */
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
