/** The operations on webhooks. Errors, retries and time-outs are those of the client. */
import { webhookUnknown } from '../domain/error-numbers.ts';
import type { Delivery, NewWebhook, Webhook, WebhookPatch, WebhookTest, WebhookWithSecret } from '../domain/schemas.ts';
import { toJson } from '../json/to-json.ts';
import type { CallOptions, DeliveriesOptions } from './options.ts';
import { toQuery } from './query.ts';
import {
  parseDeliveries,
  parseDelivery,
  parseSecret,
  parseWebhook,
  parseWebhooks,
  parseWebhookTest,
} from './responses.ts';
import type { Answer, Transport } from './transport.ts';

const path = '/webhooks';
/** The longest attempt of the service to reach a receiver, in milliseconds. */
const attemptMs = 15_000;

/**
 * Each method throws PlantStoreError 40403 if no webhook has the id, unless it says otherwise.
 * What would make something twice, or could undo a change by another client, is not sent again
 * after a lost response.
 */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All webhooks in the order of their creation, without their secrets. */
  async list({ signal }: CallOptions = {}): Promise<readonly Webhook[]> {
    return parseWebhooks((await this.#transport.send({ method: 'GET', path, signal })).text);
  }

  /** Resolves to undefined if no webhook has this id. */
  async get(id: string, { signal }: CallOptions = {}): Promise<Webhook | undefined> {
    const answer = await this.#transport.send({ method: 'GET', path: toPath(id), signal }, [200, 404]);
    return this.#isAbsent(answer) ? undefined : parseWebhook(answer.text);
  }

  /** Sends changes from now on. The result has the secret that signs, which is shown only now. */
  async create({ url, events }: NewWebhook, { signal }: CallOptions = {}): Promise<WebhookWithSecret> {
    const body = toJson({ url, events });
    const answer = await this.#transport.send({ method: 'POST', path, body, repetition: 'harmful', signal }, [201]);
    return parseSecret(answer.text);
  }

  /** Updates the members of the patch. Enabled again, a webhook continues where it was. */
  async update(id: string, { url, events, enabled }: WebhookPatch, { signal }: CallOptions = {}): Promise<Webhook> {
    const answer = await this.#transport.send({
      method: 'PATCH',
      path: toPath(id),
      headers: { 'content-type': 'application/merge-patch+json' },
      body: toJson({ url, events, enabled }),
      repetition: 'harmful',
      signal,
    });
    return parseWebhook(answer.text);
  }

  /** Resolves to false if no webhook has this id; to true also if an earlier try deleted it. */
  async delete(id: string, { signal }: CallOptions = {}): Promise<boolean> {
    const answer = await this.#transport.send({ method: 'DELETE', path: toPath(id), signal }, [204, 404]);
    return !this.#isAbsent(answer) || answer.isRetry;
  }

  /** Replaces the secret; the old one signs, too, for 24 hours. The new one is shown only now. */
  async rotateSecret(id: string, { signal }: CallOptions = {}): Promise<WebhookWithSecret> {
    const outgoing = { method: 'POST', path: `${toPath(id)}/secret`, repetition: 'harmful', signal } as const;
    return parseSecret((await this.#transport.send(outgoing)).text);
  }

  /** Sends a test request now, once, and resolves to what became of it, also if it failed. */
  async test(id: string, { signal }: CallOptions = {}): Promise<WebhookTest> {
    const outgoing = { method: 'POST', path: `${toPath(id)}/test`, waitMs: attemptMs, signal };
    return parseWebhookTest((await this.#transport.send(outgoing)).text);
  }

  /** The latest deliveries, newest first. */
  async deliveries(id: string, { limit, signal }: DeliveriesOptions = {}): Promise<readonly Delivery[]> {
    const outgoing = { method: 'GET', path: `${toPath(id)}/deliveries${toQuery({ limit })}`, signal };
    return parseDeliveries((await this.#transport.send(outgoing)).text);
  }

  /**
   * Sends a delivery again now, and resolves to what became of it.
   * @throws PlantStoreError 40404 if the webhook has no such delivery.
   */
  async retryDelivery(id: string, deliveryId: string, { signal }: CallOptions = {}): Promise<Delivery> {
    const deliveryPath = `${toPath(id)}/deliveries/${encodeURIComponent(deliveryId)}/retry`;
    const outgoing = { method: 'POST', path: deliveryPath, waitMs: attemptMs, signal };
    return parseDelivery((await this.#transport.send(outgoing)).text);
  }

  /** @throws PlantStoreError if a 404 is not about the webhook: then the address is wrong. */
  #isAbsent(answer: Answer): boolean {
    if (answer.status !== 404) return false;
    const error = this.#transport.toError(answer);
    if (error.number !== webhookUnknown) throw error;
    return true;
  }
}

function toPath(id: string): string {
  return `${path}/${encodeURIComponent(id)}`;
}
