/** What subscribers get: the event of a change, its body, and the id of its delivery. */
import { hash } from 'node:crypto';
import type { Change, ChangeKind } from '../domain/change-log.ts';
import type { DeliveryRecord, WebhookEvent, WebhookRecord } from '../domain/webhooks.ts';
import { toJson } from '../json/to-json.ts';

export function toEvent(kind: ChangeKind): WebhookEvent {
  return `plant.${kind}`;
}

const kindsCount = 3;

/** Returns the kinds, if not all are wanted: the log then finds the changes faster. */
export function toKinds(events: readonly WebhookEvent[]): readonly ChangeKind[] | undefined {
  const kinds = new Set(events.map((event) => event.slice('plant.'.length) as ChangeKind));
  return kinds.size < kindsCount ? [...kinds] : undefined;
}

/** The first delivery of a change, before it is sent. */
export function toDelivery(webhook: WebhookRecord, change: Change, now: number): DeliveryRecord {
  return {
    id: toMessageId(webhook.settings.id, change.position),
    number: webhook.progress.deliveries + 1,
    event: toEvent(change.kind),
    position: change.position,
    plantId: change.id.toString(),
    createdAt: now,
    status: 'waiting',
    attempts: 0,
    lastAttemptAt: now,
    body: toBody(change),
  };
}

/** Returns the same id after a restart, so that a receiver recognizes a repeated message. */
export function toMessageId(webhook: string, position: string): string {
  return `msg_${hash('sha256', `${webhook} ${position}`, 'base64url').slice(0, 22)}`;
}

/** The body of a request, as described: a NewPlant, or an envelope with what changed. */
export function toBody({ kind, at, plant, before }: Change): string {
  if (kind === 'created') return toJson(plant);
  return toJson({ type: toEvent(kind), timestamp: new Date(at).toISOString(), data: { plant, before } });
}

export function toTestBody(now: number): string {
  return toJson({ type: 'webhook.test', timestamp: new Date(now).toISOString(), data: {} });
}
