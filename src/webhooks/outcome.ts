/** What the result of an attempt means for its delivery and its webhook. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { DeliveryRecord, WebhookRecord } from '../domain/webhooks.ts';
import type { WebhookChange } from './change-webhook.ts';
import { failingMsMax, toNextAttempt } from './schedule.ts';
import type { SendResult } from './sender.ts';

export interface Attempt {
  readonly delivery: DeliveryRecord;
  readonly result: SendResult;
  readonly now: number;
  readonly delaysMs: readonly number[];
  /** At least 0, less than 1. */
  readonly random: number;
}

const gone = 410;

/** @param webhook as it is stored, before the delivery. */
export function toOutcome(
  webhook: WebhookRecord,
  { delivery, result, now, delaysMs, random }: Attempt,
): Required<WebhookChange> {
  const tried = toTried(delivery, result, now);
  const done = toDone(webhook, delivery);
  if (result.isDelivered) return { webhook: done, delivery: { ...tried, status: 'delivered' } };
  const { waiting, failingSince = now, ...settled } = webhook;
  const { deliveries } = done;

  const { attempts } = tried;
  const isGone = result.responseStatus === gone;
  const nextAttemptAt = isGone ? now : toNextAttempt({ ...result, attempts }, now, delaysMs, random);
  // Given up: it is kept, and the webhook goes on.
  if (nextAttemptAt === undefined)
    return { webhook: { ...done, failingSince }, delivery: { ...tried, status: 'failed' } };

  const disabledReason = isGone
    ? 'The endpoint responded with status 410 (gone)'
    : now - failingSince >= failingMsMax
      ? `Every attempt failed since ${new Date(failingSince).toISOString()}`
      : undefined;
  return {
    webhook: {
      ...settled,
      deliveries,
      waiting: delivery.id,
      failingSince,
      ...(disabledReason === undefined ? {} : { isEnabled: false, disabledReason }),
    },
    delivery: { ...tried, status: 'waiting', nextAttemptAt },
  };
}

/** The webhook once the delivery is delivered. */
export function toDone({ waiting, failingSince, ...webhook }: WebhookRecord, delivery: DeliveryRecord): WebhookRecord {
  const deliveries = Math.max(webhook.deliveries, delivery.number);
  return { ...webhook, deliveries, position: delivery.position };
}

interface Known {
  readonly webhook: WebhookRecord;
  /** Undefined if it is not stored yet. */
  readonly delivery: DeliveryRecord | undefined;
}

/**
 * Whether a failure says nothing any more: the webhook, such as its URL, was changed after the attempt began, or the delivery was made due
 * again. Retries of other deliveries change nothing but the version.
 */
export function isPast(atBegin: Known, stored: Known): boolean {
  const { version, ...settings } = atBegin.webhook;
  const { version: later, ...current } = stored.webhook;
  return !isDeepStrictEqual(settings, current) || atBegin.delivery?.nextAttemptAt !== stored.delivery?.nextAttemptAt;
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
