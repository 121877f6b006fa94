/** Webhooks and deliveries as JSON documents, for every adapter. Counters of saves are columns. */
import type { DeliveryRecord, WebhookProgress, WebhookRecord, WebhookSettings } from '../domain/webhooks.ts';

export function toSettingsDocument({ version, ...settings }: WebhookSettings): string {
  return JSON.stringify(settings);
}

export function toProgressDocument({ step, ...progress }: WebhookProgress): string {
  return JSON.stringify(progress);
}

/** The two rows of a webhook. */
export interface WebhookRow {
  readonly version: number;
  readonly settings: string;
  readonly step: number;
  readonly progress: string;
}

/** Only this service writes documents. */
export function fromWebhookRow({ version, settings, step, progress }: WebhookRow): WebhookRecord {
  return {
    settings: { ...(JSON.parse(settings) as Omit<WebhookSettings, 'version'>), version },
    progress: { ...(JSON.parse(progress) as Omit<WebhookProgress, 'step'>), step },
  };
}

export function toDeliveryDocument(delivery: DeliveryRecord): string {
  return JSON.stringify(delivery);
}

export function fromDeliveryDocument(document: string): DeliveryRecord {
  return JSON.parse(document) as DeliveryRecord;
}

/** For `findDocumentProblem`, of every adapter. */
export const selectDocuments = `SELECT NULL, id, document FROM webhooks
  UNION ALL SELECT webhook, '', document FROM webhook_progress
  UNION ALL SELECT webhook, id, document FROM webhook_deliveries`;

/**
 * Returns what is wrong with a document: it cannot be read, or belongs to another row.
 * @param webhook absent if the document is the webhook itself.
 * @param id empty for the document of the progress.
 */
export function findDocumentProblem(webhook: string | undefined, id: string, document: string): string | undefined {
  if (isReadable(document, id)) return undefined;
  if (id === '') return `The progress of the webhook ${webhook} cannot be read`;
  return webhook === undefined
    ? `A webhook cannot be read: ${id}`
    : `A delivery of the webhook ${webhook} cannot be read: ${id}`;
}

function isReadable(document: string, id: string): boolean {
  try {
    const parsed = JSON.parse(document) as Partial<WebhookSettings & DeliveryRecord>;
    const { id: own, createdAt, position } = parsed;
    if (id === '') return typeof position === 'string';
    return own === id && Number.isInteger(createdAt);
  } catch {
    return false;
  }
}

export function byCreation(one: WebhookRecord, other: WebhookRecord): number {
  return one.settings.createdAt - other.settings.createdAt;
}
