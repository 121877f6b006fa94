/** Webhooks and deliveries as JSON documents, for every adapter. The version is a column of its own. */
import type { DeliveryRecord, WebhookRecord } from '../domain/webhooks.ts';

export function toWebhookDocument({ version, ...webhook }: WebhookRecord): string {
  return JSON.stringify(webhook);
}

export function fromWebhookDocument(document: string, version: number): WebhookRecord {
  // Only this service writes documents.
  return { ...(JSON.parse(document) as Omit<WebhookRecord, 'version'>), version };
}

export function toDeliveryDocument(delivery: DeliveryRecord): string {
  return JSON.stringify(delivery);
}

export function fromDeliveryDocument(document: string): DeliveryRecord {
  return JSON.parse(document) as DeliveryRecord;
}

export function byCreation(one: WebhookRecord, other: WebhookRecord): number {
  return one.createdAt - other.createdAt;
}
