/** Webhooks on a store in the test's process, with short delays. */
import type { Store } from '../../src/domain/store.ts';
import {
  type DeliveryRecord,
  type DeliveryResult,
  toWebhookState,
  type WebhookEvent,
  type WebhookProgress,
  type WebhookState,
} from '../../src/domain/webhooks.ts';
import { toAddressPolicy } from '../../src/webhooks/addresses.ts';
import { Dispatcher, type DispatcherOptions } from '../../src/webhooks/dispatcher.ts';
import { Sender } from '../../src/webhooks/sender.ts';
import { WebhookService } from '../../src/webhooks/webhook-service.ts';
import { recordLog } from '../support/record-log.ts';
import { until } from '../support/until.ts';

export interface OpenedWebhooks {
  readonly service: WebhookService;
  /** Whether it delivers, of several on one database. */
  readonly hasLease: () => boolean;
  /** Does what a change of the webhooks does. */
  wake(): void;
  /** Does what the signal to stop does: requests of clients are still served. */
  beginShutdown(): void;
  /** Does what the end of the service does: deliveries under way are aborted. */
  stop(): Promise<void>;
  /** Does what `kill -9` does: nothing more is sent or saved, and nothing is released. */
  kill(): void;
}

export const webhooksKey = Buffer.alloc(32, 7);

export async function openWebhooks(
  store: Store,
  options: Partial<DispatcherOptions> & { readonly timeoutMs?: number } = {},
): Promise<OpenedWebhooks> {
  const shutdown = new AbortController();
  let isKilled = false;
  let hasLease = false;
  const policy = toAddressPolicy(true);
  const sender = new Sender({ policy, ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }) });
  const { log } = await recordLog('silent');
  const shared = {
    store: {
      ...store,
      webhooks: {
        ...store.webhooks,
        lease: async (owner: string, durationMs: number) => {
          if (isKilled) throw new Error('killed');
          hasLease = await store.webhooks.lease(owner, durationMs);
          return hasLease;
        },
        release: async (owner: string) => {
          if (isKilled) throw new Error('killed');
          await store.webhooks.release(owner);
          hasLease = false;
        },
      },
    },
    sender,
    readKey: () => Promise.resolve(webhooksKey),
    now: () => Date.now(),
    shutdown: shutdown.signal,
    log,
    delaysMs: Array.from({ length: 9 }, () => 50),
    ...options,
  };
  const dispatcher = new Dispatcher(shared);
  return {
    service: new WebhookService({ ...shared, policy, onChange: () => dispatcher.wake() }),
    hasLease: () => hasLease,
    wake: () => dispatcher.wake(),
    beginShutdown: () => shutdown.abort(),
    stop: async () => {
      shutdown.abort();
      await dispatcher.stop();
      sender.close();
    },
    kill: () => {
      isKilled = true;
      shutdown.abort();
      sender.close();
    },
  };
}

export async function subscribe(
  { service }: OpenedWebhooks,
  url: string,
  events: readonly WebhookEvent[] = ['plant.created'],
): Promise<string> {
  return (await service.create({ url, events })).webhook.settings.id;
}

/** A webhook as its rows say together. */
export type Look = Pick<WebhookProgress, 'position' | 'deliveries' | 'waiting'> & WebhookState;

export async function look(store: Store, id: string): Promise<Look> {
  const webhook = await store.webhooks.find(id);
  if (webhook === undefined) throw new Error('There is no such webhook');
  const { position, deliveries, waiting } = webhook.progress;
  return { position, deliveries, ...(waiting === undefined ? {} : { waiting }), ...toWebhookState(webhook) };
}

/** Resolves to the webhook once it is as wanted. */
export function waitFor(store: Store, id: string, isSo: (webhook: Look) => boolean): Promise<Look> {
  return until(async () => {
    const webhook = await look(store, id);
    return isSo(webhook) && webhook;
  }, 'the webhook is as expected');
}

const never = new AbortController().signal;

export function retry({ service }: OpenedWebhooks, id: string, delivery: string): Promise<DeliveryRecord> {
  return service.retry(id, delivery, never);
}

export function sendTest({ service }: OpenedWebhooks, id: string): Promise<DeliveryResult> {
  return service.test(id, never);
}

export async function createPlants(store: Store, from: number, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, (_, index) => store.plants.create({ id: BigInt(from + index), name: 'a' })),
  );
}
