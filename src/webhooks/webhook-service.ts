/** What the operations of webhooks do, besides reading the store. */
import { randomBytes } from 'node:crypto';
import { ServiceError } from '../domain/errors.ts';
import type { NewWebhook, WebhookPatch } from '../domain/schemas.ts';
import type { DeliveryRecord, DeliveryResult, WebhookRecord, Webhooks, WebhookSecret } from '../domain/webhooks.ts';
import { type AddressPolicy, parseUrl, UrlError } from './addresses.ts';
import { changeWebhook } from './change-webhook.ts';
import { toTestBody } from './events.ts';
import { toDone, toTried } from './outcome.ts';
import type { RunnerDeps } from './runner.ts';
import { createSecret, rotationMs, seal, unreadableSecret, unsealAll } from './secrets.ts';

export interface WebhookServiceDeps extends Pick<RunnerDeps, 'store' | 'sender' | 'readKey' | 'now' | 'shutdown'> {
  readonly policy: AddressPolicy;
  /** Called after a webhook was changed. */
  readonly onChange: () => void;
}

/** Old secrets that sign beside the current one, at most. */
const oldSecretsMax = 5;
/** Requests that operations send at the same time, at most. */
const sendsMax = 16;

export class WebhookService implements Webhooks {
  readonly #deps: WebhookServiceDeps;
  #sends = 0;

  constructor(deps: WebhookServiceDeps) {
    this.#deps = deps;
  }

  async create({ url, events }: NewWebhook): Promise<WebhookSecret> {
    const { store, policy, now, onChange } = this.#deps;
    const calledUrl = toUrl(url, policy);
    const id = randomBytes(8).toString('hex');
    const secret = createSecret();
    const webhook: WebhookRecord = {
      id,
      url: calledUrl,
      events: [...new Set(events)],
      createdAt: now(),
      secrets: [{ sealed: seal(secret, id, await this.#deps.readKey()) }],
      isEnabled: true,
      position: await store.changes.latest(),
      deliveries: 0,
      version: 1,
    };
    if (!(await store.webhooks.insert(webhook))) throw new ServiceError('webhooks_full');
    onChange();
    return { webhook, secret };
  }

  async update(id: string, { url, events, enabled }: WebhookPatch): Promise<WebhookRecord> {
    const { store, policy, onChange } = this.#deps;
    const calledUrl = url === undefined ? undefined : toUrl(url, policy);
    const webhook = await changeWebhook(store.webhooks, id, ({ notice, ...stored }) => ({
      webhook: {
        ...(enabled === undefined ? stored : toEnabled(stored, enabled)),
        ...(calledUrl === undefined ? {} : { url: calledUrl }),
        ...(events === undefined ? {} : { events: [...new Set(events)] }),
      },
    }));
    // The owner has repaired something: no need to wait for the next attempt.
    if (webhook.isEnabled && webhook.waiting !== undefined) await this.#makeDue(id, webhook.waiting);
    onChange();
    return webhook;
  }

  async delete(id: string): Promise<void> {
    if (!(await this.#deps.store.webhooks.delete(id))) throw new ServiceError('webhook_unknown');
    this.#deps.onChange();
  }

  async rotateSecret(id: string): Promise<WebhookSecret> {
    const { store, now, onChange, readKey } = this.#deps;
    await this.#find(id);
    const key = await readKey();
    const secret = createSecret();
    const webhook = await changeWebhook(store.webhooks, id, (stored) => {
      // One that has expired, or was encrypted with another key, signs nothing any more.
      const signing = stored.secrets.filter((each) => unsealAll({ id, secrets: [each] }, key, now())?.length === 1);
      const old = signing.map(({ sealed, expiresAt = now() + rotationMs }) => ({ sealed, expiresAt }));
      // The oldest stay: if responses were lost, the receiver knows none of the others.
      return { webhook: { ...stored, secrets: [{ sealed: seal(secret, id, key) }, ...old.slice(-oldSecretsMax)] } };
    });
    onChange();
    return { webhook, secret };
  }

  async test(id: string): Promise<DeliveryResult> {
    const webhook = await this.#find(id);
    const { now } = this.#deps;
    return this.#send(webhook, `msg_${randomBytes(16).toString('base64url')}`, toTestBody(now()));
  }

  async retry(id: string, deliveryId: string): Promise<DeliveryRecord> {
    const { store, now, onChange } = this.#deps;
    const webhook = await this.#find(id);
    const delivery = await this.#makeDue(id, deliveryId);
    if (delivery === undefined) throw new ServiceError('delivery_unknown');
    if (delivery.body === undefined) throw new ServiceError('delivery_done');
    if (delivery.status === 'waiting' && webhook.isEnabled) {
      onChange();
      return delivery;
    }
    const result = await this.#send(webhook, deliveryId, delivery.body);
    let tried = delivery;
    await changeWebhook(store.webhooks, id, async (stored) => {
      const known = (await store.webhooks.findDelivery(id, deliveryId)) ?? delivery;
      tried = known;
      // Another retry has delivered it meanwhile.
      if (known.status === 'delivered') return undefined;
      // One that waits is still due, once its webhook is enabled.
      const { status, nextAttemptAt } = known;
      const due = nextAttemptAt === undefined ? {} : { nextAttemptAt };
      tried = {
        ...toTried(known, result, now()),
        ...(result.isDelivered ? { status: 'delivered' } : { status, ...due }),
      };
      const isPlace = result.isDelivered && stored.waiting === deliveryId;
      return { webhook: isPlace ? toDone(stored, known) : stored, delivery: tried };
    });
    return tried;
  }

  async #find(id: string): Promise<WebhookRecord> {
    const webhook = await this.#deps.store.webhooks.find(id);
    if (webhook === undefined) throw new ServiceError('webhook_unknown');
    return webhook;
  }

  /** Makes a delivery that waits due now. Resolves to the delivery as it is stored then. */
  async #makeDue(id: string, deliveryId: string): Promise<DeliveryRecord | undefined> {
    const { store, now } = this.#deps;
    let delivery: DeliveryRecord | undefined;
    await changeWebhook(store.webhooks, id, async (stored) => {
      delivery = await store.webhooks.findDelivery(id, deliveryId);
      if (delivery?.status !== 'waiting') return undefined;
      delivery = { ...delivery, nextAttemptAt: now() };
      return { webhook: stored, delivery };
    });
    return delivery;
  }

  async #send(webhook: WebhookRecord, id: string, body: string): Promise<DeliveryResult> {
    const { sender, now, readKey, shutdown } = this.#deps;
    if (this.#sends >= sendsMax) throw new ServiceError('store_busy');
    this.#sends += 1;
    try {
      const secrets = unsealAll(webhook, await readKey(), now());
      if (secrets === undefined) return { isDelivered: false, error: unreadableSecret };
      return await sender.send({ url: webhook.url, id, body, now: now(), secrets }, shutdown);
    } catch (cause) {
      throw shutdown.aborted ? new ServiceError('shutting_down', { cause }) : cause;
    } finally {
      this.#sends -= 1;
    }
  }
}

/** @throws ServiceError `webhook_invalid`. */
function toUrl(text: string, policy: AddressPolicy): string {
  try {
    return parseUrl(text, policy);
  } catch (error) {
    throw error instanceof UrlError ? new ServiceError('webhook_invalid', { detail: error.message }) : error;
  }
}

/** A webhook that is enabled again begins anew to count its failures. */
function toEnabled(webhook: WebhookRecord, isEnabled: boolean): WebhookRecord {
  const { disabledReason, failingSince, ...others } = webhook;
  return isEnabled === webhook.isEnabled ? webhook : { ...others, isEnabled };
}
