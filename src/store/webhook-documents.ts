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

/** For `findDocumentProblem`, of every adapter. */
export const selectDocuments =
  'SELECT NULL, id, document FROM webhooks UNION ALL SELECT webhook, id, document FROM webhook_deliveries';

/**
 * Returns what is wrong with a document: it cannot be read, or belongs to another row.
 * @param webhook absent if the document is that of a webhook itself, not of a delivery.
 */
export function findDocumentProblem(webhook: string | undefined, id: string, document: string): string | undefined {
  if (isReadable(document, id)) return undefined;
  return webhook === undefined
    ? `A webhook cannot be read: ${id}`
    : `A delivery of the webhook ${webhook} cannot be read: ${id}`;
}

function isReadable(document: string, id: string): boolean {
  try {
    const { id: own, createdAt } = JSON.parse(document) as Partial<WebhookRecord | DeliveryRecord>;
    return own === id && Number.isInteger(createdAt);
  } catch {
    return false;
  }
}

export function byCreation(one: WebhookRecord, other: WebhookRecord): number {
  return one.createdAt - other.createdAt;
}
