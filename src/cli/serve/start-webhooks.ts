/** Wires webhooks: the dispatcher that delivers, and the service that the operations call. */
import type { Config } from '../../config/load-config.ts';
import type { Store } from '../../domain/store.ts';
import type { Webhooks } from '../../domain/webhooks.ts';
import type { Log } from '../../observe/log.ts';
import { toAddressPolicy } from '../../webhooks/addresses.ts';
import { Dispatcher } from '../../webhooks/dispatcher.ts';
import { retryDelaysMs } from '../../webhooks/progress.ts';
import { Sender, type SenderOptions } from '../../webhooks/sender.ts';
import { WebhookService } from '../../webhooks/webhook-service.ts';
import { openWebhookKey } from './webhook-key.ts';

export interface StartedWebhooks {
  readonly webhooks: Webhooks;
  /** Call it after the shutdown has begun, and before the store is closed. */
  stop(): Promise<void>;
}

/** Starts to deliver. @throws Error if the key file cannot be used. */
export async function startWebhooks(
  config: Pick<Config, 'webhookAllowPrivate' | 'webhookKeyFile'>,
  { store, log, shutdown, now, dataDir, onAttempt, tracer }: WebhookParts,
): Promise<StartedWebhooks> {
  const policy = toAddressPolicy(config.webhookAllowPrivate);
  const sender = new Sender({ policy, tracer });
  const readKey = await openWebhookKey({
    keyFile: config.webhookKeyFile,
    dataDir,
    hasSecrets: async () => (await store.webhooks.list()).length > 0,
  });
  const shared = { store, sender, readKey, now, shutdown };
  const dispatcher = new Dispatcher({ ...shared, log, onAttempt, delaysMs: retryDelaysMs });
  return {
    webhooks: new WebhookService({ ...shared, policy, onChange: () => dispatcher.wake() }),
    stop: async () => {
      await dispatcher.stop();
      sender.close();
    },
  };
}

interface WebhookParts {
  readonly store: Store;
  readonly log: Log;
  readonly shutdown: AbortSignal;
  readonly now: () => number;
  /** Absent: the store has no folder. */
  readonly dataDir: string | undefined;
  readonly onAttempt: ((isDelivered: boolean) => void) | undefined;
  readonly tracer: SenderOptions['tracer'];
}
