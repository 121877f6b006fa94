/** Handlers of webhooks and their deliveries. What they do is in the module webhooks. */
import { ServiceError } from '../../domain/errors.ts';
import type { Delivery, Webhook, WebhookTest } from '../../domain/schemas.ts';
import type { DeliveryRecord, WebhookRecord, Webhooks } from '../../domain/webhooks.ts';
import { toJson } from '../../json/to-json.ts';
import { created, noContent, ok } from '../wire/reply.ts';
import type { Handler } from './call.ts';

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
  return {
    /** POST /webhooks: creates a webhook and returns its secret, once. */
    createWebhook: async ({ body }) => {
      const { webhook, secret } = await webhooks.create(body);
      return created(toJson({ ...toWebhook(webhook), secret }), `./webhooks/${webhook.id}`);
    },

    /** GET /webhooks: all webhooks. */
    listWebhooks: async (_call, store) => ok(toJson((await store.webhooks.list()).map(toWebhook))),

    /** GET /webhooks/{webhookId}: one webhook. */
    getWebhook: async ({ parameters }, store) => {
      const webhook = await store.webhooks.find(parameters.webhookId);
      if (webhook === undefined) throw new ServiceError('webhook_unknown');
      return ok(toJson(toWebhook(webhook)));
    },

    /** PATCH /webhooks/{webhookId}: updates the given members. */
    patchWebhook: async ({ parameters, body }) =>
      ok(toJson(toWebhook(await webhooks.update(parameters.webhookId, body)))),

    /** DELETE /webhooks/{webhookId}: deletes the webhook. */
    deleteWebhook: async ({ parameters }) => {
      await webhooks.delete(parameters.webhookId);
      return noContent();
    },

    /** POST /webhooks/{webhookId}/secret: makes a new secret and returns it, once. */
    rotateWebhookSecret: async ({ parameters }) => {
      const { webhook, secret } = await webhooks.rotateSecret(parameters.webhookId);
      return ok(toJson({ ...toWebhook(webhook), secret }));
    },

    /** POST /webhooks/{webhookId}/test: sends a test request. */
    testWebhook: async ({ parameters }) => {
      const { isDelivered, responseStatus, error } = await webhooks.test(parameters.webhookId);
      return ok(toJson({ delivered: isDelivered, responseStatus, error } satisfies Body<WebhookTest>));
    },

    /** GET /webhooks/{webhookId}/deliveries: the latest deliveries, newest first. */
    listDeliveries: async ({ parameters }, store) => {
      const { webhookId, limit } = parameters;
      if ((await store.webhooks.find(webhookId)) === undefined) throw new ServiceError('webhook_unknown');
      return ok(toJson((await store.webhooks.listDeliveries(webhookId, limit)).map(toDelivery)));
    },

    /** POST /webhooks/{webhookId}/deliveries/{deliveryId}/retry: sends a delivery again. */
    retryDelivery: async ({ parameters }) =>
      ok(toJson(toDelivery(await webhooks.retry(parameters.webhookId, parameters.deliveryId)))),
  };
}

/** All members of a shape; those that are undefined are left out of the JSON. */
type Body<Shape> = { readonly [Name in keyof Required<Shape>]: Shape[Name] };

function toWebhook({ id, url, events, isEnabled, ...others }: WebhookRecord): Body<Webhook> {
  const { disabledReason, notice, createdAt, failingSince } = others;
  return {
    id,
    url,
    events,
    enabled: isEnabled,
    disabledReason,
    notice,
    createdAt: toTime(createdAt),
    failingSince: failingSince === undefined ? undefined : toTime(failingSince),
  };
}

function toDelivery({ id, event, plantId, status, attempts, ...others }: DeliveryRecord): Body<Delivery> {
  const { createdAt, lastAttemptAt, nextAttemptAt, responseStatus, error } = others;
  return {
    id,
    event,
    plantId: BigInt(plantId),
    status,
    attempts,
    createdAt: toTime(createdAt),
    lastAttemptAt: toTime(lastAttemptAt),
    nextAttemptAt: nextAttemptAt === undefined ? undefined : toTime(nextAttemptAt),
    responseStatus,
    error,
  };
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}
