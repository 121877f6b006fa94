/** When deliveries are tried again, and what the result of an attempt means. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DeliveryRecord, toWebhookState, type WebhookRecord } from '../../src/domain/webhooks.ts';
import { advance, retryDelaysMs, toNextAttempt } from '../../src/webhooks/progress.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const now = Date.parse('2026-11-21T10:00:00Z');

const settings: WebhookRecord['settings'] = {
  id: 'a',
  url: 'https://example.com',
  events: ['plant.created'],
  createdAt: 0,
  secrets: [],
  isEnabled: true,
  version: 9,
};
const progress = { position: 'x-1', deliveries: 4, version: 9, step: 3 };
const webhook: WebhookRecord = { settings, progress };
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
/** Time from the first attempt to the last. */
const ageMs = retryDelaysMs.reduce((sum, delayMs) => sum + delayMs, 0);
const failure = { isDelivered: false, responseStatus: 500, error: 'The response has status 500' };

describe('toNextAttempt()', () => {
  it('waits 0.25 s, 1 s, 5 s, 5 min, 30 min, and 2, 5, 10, 14, 20 and 24 h, at most a tenth longer, then gives up', () => {
    const delays = [
      250,
      second,
      5 * second,
      5 * minute,
      30 * minute,
      ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour),
    ];
    for (const [random, factor] of [
      [0, 1],
      [0.5, 1.05],
    ] as const) {
      const found = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((attempts) =>
        toNextAttempt({ attempts, ageMs }, now, retryDelaysMs, random),
      );
      assert.deepEqual(found, [...delays.map((delay) => now + Math.round(delay * factor)), undefined]);
    }
  });

  it('does not give up before its time after attempts that somebody has asked for', () => {
    const soon = { attempts: 12, ageMs: ageMs - 1 };
    assert.equal(toNextAttempt(soon, now, retryDelaysMs, 0), now + 24 * hour);
  });

  it('waits longer if the receiver asks for it', () => {
    const next = (retryAfterMs: number): number | undefined =>
      toNextAttempt({ attempts: 3, ageMs, retryAfterMs }, now, retryDelaysMs, 0);
    assert.equal(next(4 * second), now + 5 * second);
    assert.equal(next(60 * second), now + 60 * second);
  });
});

describe('advance()', () => {
  const tried = {
    ...({ kind: 'tried', delivery, result: failure, elapsedMs: 1e12 } as const),
    ...{ delaysMs: retryDelaysMs, random: 0 },
  };
  const failing = (
    hours: number,
  ): typeof progress & { failing: NonNullable<WebhookRecord['progress']['failing']> } => ({
    ...progress,
    failing: { since: now - hours * hour, at: now - hours * hour, lastsMs: 0, version: 9 },
  });

  it('moves the position after a success, and forgets failures and the body', () => {
    const result = { isDelivered: true, responseStatus: 204 };
    const stored = { settings, progress: { ...failing(1), waiting: 'msg_5', deliveries: 5 } };
    const repeated = { ...delivery, attempts: 2, error: 'old', responseStatus: 500, nextAttemptAt: 3 };
    const { body, ...settled } = delivery;
    assert.deepEqual(advance(stored, { ...tried, result, delivery: repeated }, now), {
      progress: { ...progress, position: 'x-7', deliveries: 5 },
      delivery: { ...settled, attempts: 3, status: 'delivered', responseStatus: 204 },
    });
  });

  it('keeps the position after a failure, and waits', () => {
    const { progress: saved, delivery: waiting } = advance(webhook, tried, now);
    const first = { since: now, at: now, lastsMs: 0, version: 9 };
    assert.deepEqual(saved, { ...progress, deliveries: 5, waiting: 'msg_5', failing: first });
    assert.deepEqual([waiting?.status, waiting?.attempts, waiting?.body], ['waiting', 1, '{}']);
    assert.equal(waiting?.nextAttemptAt, now + 250);
    const asked = { ...tried, result: { ...failure, retryAfterMs: 60_000 } };
    assert.equal(advance(webhook, asked, now).delivery?.nextAttemptAt, now + 60_000);
  });

  it('leaves the next attempt where it was after one that came early, and cannot end with it', () => {
    const nextAttemptAt = now + 2 * hour;
    const last = { ...delivery, createdAt: now - ageMs, attempts: retryDelaysMs.length, nextAttemptAt };
    const next = (early: Partial<DeliveryRecord>, retryAfterMs?: number): number | undefined =>
      advance(webhook, { ...tried, result: { ...failure, retryAfterMs }, delivery: { ...last, ...early } }, now)
        .delivery?.nextAttemptAt;
    assert.equal(next({}), nextAttemptAt);
    assert.equal(next({}, 3 * hour), now + 3 * hour, 'the receiver asks for later');
    assert.equal(next({ attempts: 2, lastAttemptAt: now + 1 }), now + 5 * second, 'the clock was set back');
  });

  it('gives up after the last attempt, keeps the delivery, and goes on', () => {
    const stored = { settings, progress: { ...failing(71), deliveries: 5, waiting: 'msg_5' } };
    const last = { ...tried, delivery: { ...delivery, createdAt: now - ageMs, attempts: retryDelaysMs.length } };
    const { progress: saved, delivery: dead } = advance(stored, last, now);
    assert.deepEqual([saved.position, saved.waiting, saved.failing?.lastsMs], ['x-7', undefined, 71 * hour]);
    assert.deepEqual([dead?.status, dead?.attempts, dead?.body, dead?.nextAttemptAt], ['failed', 12, '{}', undefined]);
  });

  for (const [about, hours, elapsedMs, reason] of [
    [
      '3 days of failures',
      72,
      72 * hour,
      'Every attempt failed since 2026-11-18T10:00:00.000Z. Fix the receiver, then enable the webhook again',
    ],
    ['less', 71.5, 72 * hour, undefined],
    ['a clock that was set ahead', 72, 71.5 * hour, undefined],
    ['a clock that was set back', -72, 72 * hour, undefined],
  ] as const)
    it(`${reason === undefined ? 'does not disable' : 'disables'} the webhook after ${about}, and keeps its place`, () => {
      const { progress: saved } = advance({ settings, progress: failing(hours) }, { ...tried, elapsedMs }, now);
      assert.deepEqual([saved.disabledReason, saved.position, saved.waiting], [reason, 'x-1', 'msg_5']);
      // What has counted stays.
      assert.equal(saved.failing?.lastsMs, Math.max(0, Math.min(hours * hour, elapsedMs)));
    });

  it('disables the webhook at once after status 410', () => {
    const { progress: saved, delivery: waiting } = advance(
      webhook,
      { ...tried, result: { ...failure, responseStatus: 410 } },
      now,
    );
    assert.match(saved.disabledReason ?? '', /410/);
    assert.deepEqual([saved.position, saved.waiting, waiting?.status], ['x-1', 'msg_5', 'waiting']);
  });

  it('forgets what counted only for earlier settings', () => {
    const noted = { ...failing(72), disabledReason: 'old', notice: 'old' };
    const later = { settings: { ...settings, version: 11, failuresFrom: 11 }, progress: noted };
    const { progress: saved } = advance(later, tried, now);
    assert.deepEqual([saved.disabledReason, saved.notice, saved.failing?.lastsMs], [undefined, undefined, 0]);
    assert.equal(saved.version, 11);
    const { isEnabled, isChanged } = toWebhookState({ ...later, progress: saved });
    assert.deepEqual([isEnabled, isChanged], [true, false]);
  });
});
