/** When deliveries are tried again, and what the result of an attempt means. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeliveryRecord, WebhookRecord } from '../../src/domain/webhooks.ts';
import { toOutcome } from '../../src/webhooks/outcome.ts';
import { retryDelaysMs, toNextAttempt } from '../../src/webhooks/schedule.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const now = Date.parse('2026-11-21T10:00:00Z');

const webhook: WebhookRecord = {
  id: 'a',
  url: 'https://example.com',
  events: ['plant.created'],
  createdAt: 0,
  secrets: [],
  isEnabled: true,
  position: 'x-1',
  deliveries: 4,
  version: 9,
};
const delivery: DeliveryRecord = {
  id: 'msg_5',
  number: 5,
  event: 'plant.created',
  position: 'x-7',
  plantId: '7',
  createdAt: now,
  status: 'waiting',
  attempts: 0,
  lastAttemptAt: now,
  body: '{}',
};
const failure = { isDelivered: false, responseStatus: 500, error: 'The response has status 500' };

describe('toNextAttempt()', () => {
  it('waits 5 s, 5 min, 30 min, and 2, 5, 10, 14, 20 and 24 h, at most a tenth longer, then gives up', () => {
    const delays = [5 * second, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)];
    for (const [random, factor] of [
      [0, 1],
      [0.5, 1.05],
    ] as const) {
      const found = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((attempts) =>
        toNextAttempt({ attempts }, now, retryDelaysMs, random),
      );
      assert.deepEqual(found, [...delays.map((delay) => now + delay * factor), undefined]);
    }
  });

  it('waits longer if the receiver asks for it', () => {
    const next = (retryAfterMs: number): number | undefined =>
      toNextAttempt({ attempts: 1, retryAfterMs }, now, retryDelaysMs, 0);
    assert.equal(next(4 * second), now + 5 * second);
    assert.equal(next(60 * second), now + 60 * second);
  });
});

describe('toOutcome()', () => {
  const attempt = { delivery, result: failure, now, delaysMs: retryDelaysMs, random: 0 };

  it('moves the position after a success, and forgets failures and the body', () => {
    const result = { isDelivered: true, responseStatus: 204 };
    const stored = { ...webhook, waiting: 'msg_5', failingSince: 1, deliveries: 5 };
    const tried = { ...delivery, attempts: 2, error: 'old', responseStatus: 500, nextAttemptAt: 3 };
    const { body, ...settled } = delivery;
    assert.deepEqual(toOutcome(stored, { ...attempt, result, delivery: tried }), {
      webhook: { ...webhook, position: 'x-7', deliveries: 5 },
      delivery: {
        ...settled,
        attempts: 3,
        status: 'delivered',
        responseStatus: 204,
      },
    });
  });

  it('keeps the position after a failure, and waits', () => {
    const { webhook: saved, delivery: waiting } = toOutcome(webhook, attempt);
    assert.deepEqual(saved, { ...webhook, deliveries: 5, waiting: 'msg_5', failingSince: now });
    assert.deepEqual([waiting.status, waiting.attempts, waiting.body], ['waiting', 1, '{}']);
    assert.equal(waiting.nextAttemptAt, now + 5 * second);
  });

  it('gives up after the last attempt, keeps the delivery, and goes on', () => {
    const last = { ...attempt, delivery: { ...delivery, attempts: 9 } };
    const stored = { ...webhook, deliveries: 5, waiting: 'msg_5', failingSince: now - 76 * hour };
    const { webhook: saved, delivery: dead } = toOutcome(stored, last);
    const { waiting, ...others } = stored;
    assert.deepEqual(saved, { ...others, position: 'x-7' });
    assert.deepEqual([dead.status, dead.attempts, dead.body, dead.nextAttemptAt], ['failed', 10, '{}', undefined]);
  });

  it('disables the webhook after 3 days of failures, not before, and keeps its place', () => {
    const after = (hours: number): WebhookRecord =>
      toOutcome({ ...webhook, failingSince: now - hours * hour }, attempt).webhook;
    assert.equal(after(71.9).isEnabled, true);
    const disabled = after(72);
    assert.equal(disabled.isEnabled, false);
    assert.equal(disabled.disabledReason, 'Every attempt failed since 2026-11-18T10:00:00.000Z');
    assert.deepEqual([disabled.position, disabled.waiting], ['x-1', 'msg_5']);
  });

  it('disables the webhook at once after status 410', () => {
    const { webhook: saved, delivery: waiting } = toOutcome(webhook, {
      ...attempt,
      result: { ...failure, responseStatus: 410 },
    });
    assert.equal(saved.isEnabled, false);
    assert.match(saved.disabledReason ?? '', /410/);
    assert.deepEqual([saved.position, saved.waiting, waiting.status], ['x-1', 'msg_5', 'waiting']);
  });

  it('leaves a webhook disabled that its owner disabled meanwhile', () => {
    const disabled = { ...webhook, isEnabled: false };
    for (const result of [failure, { isDelivered: true }])
      assert.equal(toOutcome(disabled, { ...attempt, result }).webhook.isEnabled, false);
  });
});
