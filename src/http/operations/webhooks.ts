/** Handlers of webhooks and their deliveries. What they do is in the module webhooks. */
import { ServiceError } from '../../domain/errors.ts';
import type { Delivery, Webhook, WebhookTest } from '../../domain/schemas.ts';
import { type DeliveryRecord, toWebhookState, type WebhookRecord, type Webhooks } from '../../domain/webhooks.ts';
import type { Store } from '../../domain/store.ts';
import { toJson } from '../../json/to-json.ts';
import { ClientGoneError } from '../wire/body.ts';
import { created, noContent, ok, toOptionalTime, toTime } from '../wire/reply.ts';
import type { Call, Handler } from './call.ts';

type WebhookOperation =
  | 'createWebhook'
  | 'listWebhooks'
  | 'getWebhook'
  | 'patchWebhook'
  | 'deleteWebhook'
  | 'rotateWebhookSecret'
  | 'testWebhook'
  | 'listDeliveries'
  | 'retryDelivery';
type WebhookHandlers = { readonly [Id in WebhookOperation]: Handler<Id> };

export function toWebhookHandlers(webhooks: Webhooks): WebhookHandlers {
  const toWebhook = async (webhook: WebhookRecord, store: Store): Promise<ShownWebhook> => {
    const [last] = await store.webhooks.listDeliveries(webhook.settings.id, 1);
    const backlog = await webhooks.findBacklog(webhook);
    return {
      ...toOwn(webhook),
      lastDelivery: last === undefined ? undefined : toDelivery(last, webhook),
      waiting: backlog?.waiting,
      behind: backlog?.lag.changes,
      behindSince: toOptionalTime(backlog?.lag.since),
    };
  };
  return {
    /** POST /webhooks: creates a webhook and returns its secret, once. */
    createWebhook: async ({ body }, store) => {
      const { webhook, secret } = await webhooks.create(body);
      return created(toJson({ ...(await toWebhook(webhook, store)), secret }), `./webhooks/${webhook.settings.id}`);
    },

    /** GET /webhooks: all webhooks. */
    listWebhooks: async (_call, store) => {
      const found: ShownWebhook[] = [];
      // Counts for one webhook after the other: the changes that it reads take memory.
      for (const webhook of await store.webhooks.list()) found.push(await toWebhook(webhook, store));
      return ok(toJson(found));
    },

    /** GET /webhooks/{webhookId}: one webhook. */
    getWebhook: async ({ parameters }, store) => {
      const webhook = await store.webhooks.find(parameters.webhookId);
      if (webhook === undefined) throw new ServiceError('webhook_unknown');
      return ok(toJson(await toWebhook(webhook, store)));
    },

    /** PATCH /webhooks/{webhookId}: updates the given members. */
    patchWebhook: async ({ parameters, body }, store) =>
      ok(toJson(await toWebhook(await webhooks.update(parameters.webhookId, body), store))),

    /** DELETE /webhooks/{webhookId}: deletes the webhook. */
    deleteWebhook: async ({ parameters }) => {
      await webhooks.delete(parameters.webhookId);
      return noContent();
    },

    /** POST /webhooks/{webhookId}/secret: makes a new secret and returns it, once. */
    rotateWebhookSecret: async ({ parameters }, store) => {
      const { webhook, secret } = await webhooks.rotateSecret(parameters.webhookId);
      return ok(toJson({ ...(await toWebhook(webhook, store)), secret }));
    },

    /** POST /webhooks/{webhookId}/test: sends a test request. */
    testWebhook: async (call) => {
      const test = whileClientWaits(call, (gone) => webhooks.test(call.parameters.webhookId, gone));
      const { isDelivered, responseStatus, error } = await test;
      return ok(toJson({ delivered: isDelivered, responseStatus, error } satisfies Body<WebhookTest>));
    },

    /** GET /webhooks/{webhookId}/deliveries: the latest deliveries, newest first. */
    listDeliveries: async ({ parameters }, store) => {
      const { webhookId, limit } = parameters;
      const webhook = await store.webhooks.find(webhookId);
      if (webhook === undefined) throw new ServiceError('webhook_unknown');
      const deliveries = await store.webhooks.listDeliveries(webhookId, limit);
      return ok(toJson(deliveries.map((each) => toDelivery(each, webhook))));
    },

    /** POST /webhooks/{webhookId}/deliveries/{deliveryId}/retry: sends a delivery again. */
    retryDelivery: async (call, store) => {
      const { webhookId, deliveryId } = call.parameters;
      const delivery = await whileClientWaits(call, (gone) => webhooks.retry(webhookId, deliveryId, gone));
      return ok(toJson(toDelivery(delivery, await store.webhooks.find(webhookId))));
    },
  };
}

/** Runs work that ends with its client. */
async function whileClientWaits<Result>(
  { client }: Pick<Call<'testWebhook'>, 'client'>,
  work: (gone: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const gone = new AbortController();
  client.onGone(() => gone.abort());
  try {
    return await work(gone.signal);
  } catch (cause) {
    throw gone.signal.aborted ? new ClientGoneError('The client left', { cause }) : cause;
  }
}

/** All members of a shape; the JSON has no undefined members. */
type Body<Shape> = { readonly [Name in keyof Required<Shape>]: Shape[Name] };

interface ShownWebhook extends Omit<Body<Webhook>, 'lastDelivery'> {
  readonly lastDelivery: Body<Delivery> | undefined;
}

/** What its two rows say. */
function toOwn(webhook: WebhookRecord): Omit<ShownWebhook, 'lastDelivery' | 'waiting' | 'behind' | 'behindSince'> {
  const { id, url, events, createdAt } = webhook.settings;
  const { isEnabled, disabledReason, notice, failing } = toWebhookState(webhook);
  return {
    id,
    url,
    events,
    enabled: isEnabled,
    disabledReason,
    notice,
    createdAt: toTime(createdAt),
    failingSince: toOptionalTime(failing?.since),
  };
}

/** @param webhook undefined if it was deleted. */
function toDelivery(delivery: DeliveryRecord, webhook: WebhookRecord | undefined): Body<Delivery> {
  const { id, event, plantId, status, attempts, createdAt, lastAttemptAt, responseStatus, error } = delivery;
  const nextAttemptAt = webhook === undefined ? undefined : toNextAttemptAt(delivery, webhook);
  return {
    id,
    event,
    plantId: BigInt(plantId),
    status,
    attempts,
    createdAt: toTime(createdAt),
    lastAttemptAt: toTime(lastAttemptAt),
    nextAttemptAt: toOptionalTime(nextAttemptAt),
    responseStatus,
    error,
  };
}

/** A disabled webhook has no next attempt; after a change of its settings it is due. */
function toNextAttemptAt(delivery: DeliveryRecord, webhook: WebhookRecord): number | undefined {
  const { isEnabled, isChanged } = toWebhookState(webhook);
  if (!isEnabled || delivery.nextAttemptAt === undefined) return undefined;
  const { changedAt = Infinity } = webhook.settings;
  return isChanged ? Math.min(delivery.nextAttemptAt, changedAt) : delivery.nextAttemptAt;
}
