/** Changes a stored webhook although others change it at the same time. */
import { ServiceError } from '../domain/errors.ts';
import type { DeliveryRecord, WebhookRecord, WebhookStore } from '../domain/webhooks.ts';

export interface WebhookChange {
  readonly webhook: WebhookRecord;
  readonly delivery?: DeliveryRecord;
}

const attemptsMax = 100;

/**
 * Saves what `change` returns for the stored webhook; calls it again if another change came first.
 * Resolves to the webhook as it is stored then. `change` returns undefined to leave it as it is; a
 * delivery that it reads is saved only if nothing has changed it since.
 * @throws ServiceError `webhook_unknown`, or what the store throws.
 */
export async function changeWebhook(
  store: WebhookStore,
  id: string,
  change: (stored: WebhookRecord) => WebhookChange | undefined | Promise<WebhookChange | undefined>,
  known?: WebhookRecord,
): Promise<WebhookRecord> {
  let stored = known;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    stored ??= await store.find(id);
    if (stored === undefined) throw new ServiceError('webhook_unknown');
    const changed = await change(stored);
    if (changed === undefined) return stored;
    if (await store.save(changed.webhook, changed.delivery))
      return { ...changed.webhook, version: changed.webhook.version + 1 };
    stored = undefined;
  }
  throw new ServiceError('store_busy');
}

/** Whether an error says that the webhook was deleted. */
export function isUnknownWebhook(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'webhook_unknown';
}
