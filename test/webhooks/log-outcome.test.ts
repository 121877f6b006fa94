/** A webhook that fails for long is one line at its beginning and one at its end. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { DeliveryRecord, WebhookRecord } from '../../src/domain/webhooks.ts';
import { logOutcome } from '../../src/webhooks/log-outcome.ts';
import { advance, retryDelaysMs } from '../../src/webhooks/progress.ts';

it('a webhook that fails for half an hour is logged once, and when it delivers again', () => {
  const lines: unknown[] = [];
  const note = (level: string) => (fields: unknown) => lines.push([level, fields]);
  const log = { error: note('error'), info: note('info'), warn: note('warn') };
  const settings = { id: 'w', url: '', events: [], createdAt: 0, secrets: [], isEnabled: true, version: 1 };
  let webhook: WebhookRecord = { settings, progress: { position: '1', deliveries: 0, version: 1, step: 0 } };
  let delivery: DeliveryRecord = {
    ...{ id: 'd', number: 1, event: 'plant.created', position: '2', plantId: '7', createdAt: 0 },
    ...{ status: 'waiting', attempts: 0, lastAttemptAt: 0 },
  };
  let now = 0;
  const attempt = (afterMs: number, isDelivered: boolean): void => {
    now += afterMs;
    const result = isDelivered ? { isDelivered } : { isDelivered, error: 'The response has status 500' };
    const tried = { kind: 'tried', delivery, result, elapsedMs: afterMs, delaysMs: retryDelaysMs, random: 0 } as const;
    const step = advance(webhook, tried, now);
    logOutcome(log, webhook, step, 'trace');
    webhook = { settings, progress: step.progress };
    delivery = step.delivery ?? delivery;
  };
  attempt(0, false);
  attempt(1_799_999, false);
  assert.deepEqual(lines.splice(0), []);
  attempt(1, false);
  const since = '1970-01-01T00:00:00.000Z';
  assert.deepEqual(lines.splice(0), [
    ['error', { webhook: 'w', since, reason: 'The response has status 500', traceId: 'trace' }],
  ]);
  attempt(7_200_000, false);
  assert.deepEqual(lines.splice(0), []);
  attempt(1, true);
  assert.deepEqual(lines.splice(0), [['info', { webhook: 'w', minutes: 150 }]]);
  attempt(1, true);
  assert.deepEqual(lines.splice(0), []);
});
