/** What the operations of webhooks do, besides reads. Writes settings, never progress. */
import { randomBytes } from 'node:crypto';
import { ServiceError } from '../domain/errors.ts';
import type { NewWebhook, WebhookPatch } from '../domain/schemas.ts';
import {
  type DeliveryRecord,
  type DeliveryResult,
  type SealedSecret,
  toWebhookState,
  waitingMax,
  type WebhookBacklog,
  type WebhookRecord,
  type Webhooks,
  type WebhookSecret,
  type WebhookSettings,
} from '../domain/webhooks.ts';
import { type AddressPolicy, parseUrl, UrlError } from './addresses.ts';
import { toKinds, toTestBody } from './events.ts';
import { toTried } from './progress.ts';
import type { RunnerDeps } from './runner.ts';
import { createSecret, rotationMs, seal, unreadableSecret, unsealAll } from './secrets.ts';

export interface WebhookServiceDeps extends Pick<RunnerDeps, 'store' | 'sender' | 'readKey' | 'now' | 'shutdown'> {
  readonly policy: AddressPolicy;
  /** Called after a webhook was changed. */
  readonly onChange: () => void;
}

/** Old secrets that sign beside the current one, at most. */
const oldSecretsMax = 5;
/** How often a change is tried while other operations change the same webhook. */
const attemptsMax = 100;

export class WebhookService implements Webhooks {
  readonly #deps: WebhookServiceDeps;
  /** Webhooks for which an operation sends a request now: one at a time for each. */
  readonly #sending = new Set<string>();

  constructor(deps: WebhookServiceDeps) {
    this.#deps = deps;
  }

  async create({ url, events }: NewWebhook): Promise<WebhookSecret> {
    const { store, policy, now, onChange, readKey } = this.#deps;
    const calledUrl = toUrl(url, policy);
    const id = randomBytes(8).toString('hex');
    const secret = createSecret();
    const settings: WebhookSettings = {
      id,
      url: calledUrl,
      events: [...new Set(events)],
      createdAt: now(),
      secrets: [{ sealed: seal(secret, id, await readKey()) }],
      isEnabled: true,
      version: 1,
    };
    const progress = { position: await store.changes.latest(), deliveries: 0, version: 1, step: 1 };
    const webhook = { settings, progress };
    if (!(await store.webhooks.insert(webhook))) throw new ServiceError('webhooks_full');
    onChange();
    return { webhook, secret };
  }

  async update(id: string, { url, events, enabled }: WebhookPatch): Promise<WebhookRecord> {
    const calledUrl = url === undefined ? undefined : toUrl(url, this.#deps.policy);
    return this.#change(id, ({ notice, ...settings }) => ({
      ...(enabled === undefined ? settings : toEnabled(settings, enabled)),
      ...(calledUrl === undefined ? {} : { url: calledUrl }),
      ...(events === undefined ? {} : { events: [...new Set(events)] }),
    }));
  }

  async delete(id: string): Promise<void> {
    if (!(await this.#deps.store.webhooks.delete(id))) throw new ServiceError('webhook_unknown');
    this.#deps.onChange();
  }

  async findBacklog({ settings, progress }: WebhookRecord): Promise<WebhookBacklog | undefined> {
    const { changes } = this.#deps.store;
    try {
      const lag = await changes.lagOf(progress.position);
      const after = await changes.oldestAfter(progress.position);
      const page = await changes.read({ after, limit: waitingMax, kinds: toKinds(settings.events) });
      return { waiting: page.changes.length, lag };
    } catch (error) {
      // The log is another one, or lacks changes: the dispatcher deals with it.
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }

  async rotateSecret(id: string): Promise<WebhookSecret> {
    const { now, readKey } = this.#deps;
    await this.#find(id);
    const key = await readKey();
    const secret = createSecret();
    const webhook = await this.#change(id, (settings) => {
      // A secret that was encrypted with another key cannot sign any more.
      const readable = settings.secrets.filter((each) => unsealAll({ id, secrets: [each] }, key, 0) !== undefined);
      const old = readable.map(({ sealed, expiresAt = now() + rotationMs }) => ({ sealed, expiresAt }));
      const isLive = ({ expiresAt }: Required<SealedSecret>): boolean => expiresAt > now();
      // The oldest stay: if responses were lost, the receiver knows none of the others. One
      // that has expired stays while there is room: the clock may be ahead.
      const live = old.filter(isLive).slice(-oldSecretsMax);
      const kept = [...live, ...old.filter((each) => !isLive(each))].slice(0, oldSecretsMax);
      return { ...settings, secrets: [{ sealed: seal(secret, id, key) }, ...kept] };
    });
    return { webhook, secret };
  }

  async test(id: string, gone: AbortSignal): Promise<DeliveryResult> {
    const { settings } = await this.#find(id);
    return this.#send(settings, `msg_${randomBytes(16).toString('base64url')}`, toTestBody(this.#deps.now()), gone);
  }

  async retry(id: string, deliveryId: string, gone: AbortSignal): Promise<DeliveryRecord> {
    const { store, now } = this.#deps;
    const webhook = await this.#find(id);
    const delivery = await store.webhooks.findDelivery(id, deliveryId);
    if (delivery === undefined) throw new ServiceError('delivery_unknown');
    if (delivery.body === undefined) throw new ServiceError('delivery_done');
    if (delivery.status === 'waiting' && toWebhookState(webhook).isEnabled) {
      const { settings } = await this.#change(id, (stored) => stored);
      return { ...delivery, nextAttemptAt: settings.changedAt ?? now() };
    }
    const result = await this.#send(webhook.settings, deliveryId, delivery.body, gone);
    for (let known = delivery; ;) {
      const { status, nextAttemptAt } = known;
      // A delivery that waits is due once its webhook is enabled.
      const due = nextAttemptAt === undefined ? {} : { nextAttemptAt };
      const tried: DeliveryRecord = {
        ...toTried(known, result, now()),
        ...(result.isDelivered ? { status: 'delivered' } : { status, ...due }),
      };
      if (await store.webhooks.replaceDelivery(id, known, tried)) {
        // The dispatcher passes it, and a success ends the failures.
        if (result.isDelivered && status === 'waiting') await this.#change(id, toUnfailing);
        return tried;
      }
      const stored = await store.webhooks.findDelivery(id, deliveryId);
      if (stored === undefined) throw new ServiceError('delivery_unknown');
      // Another retry has delivered it.
      if (stored.status === 'delivered') return stored;
      known = stored;
    }
  }

  async #find(id: string): Promise<WebhookRecord> {
    const webhook = await this.#deps.store.webhooks.find(id);
    if (webhook === undefined) throw new ServiceError('webhook_unknown');
    return webhook;
  }

  /**
   * Saves what `change` returns for the settings, with what the dispatcher has noted; calls it
   * again if another operation was faster. A delivery that waits is due then: the owner may
   * have repaired something.
   */
  async #change(id: string, change: (settings: WebhookSettings) => WebhookSettings): Promise<WebhookRecord> {
    const { store, now, onChange } = this.#deps;
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const webhook = await this.#find(id);
      const { isEnabled, disabledReason, notice } = toWebhookState(webhook);
      const { disabledReason: _reason, notice: _notice, ...settings } = webhook.settings;
      const changed = change({
        ...settings,
        isEnabled,
        ...(disabledReason === undefined ? {} : { disabledReason }),
        ...(notice === undefined ? {} : { notice }),
        changedAt: now(),
      });
      if (!(await store.webhooks.saveSettings(changed))) continue;
      onChange();
      return { ...webhook, settings: { ...changed, version: changed.version + 1 } };
    }
    throw new ServiceError('store_busy');
  }

  async #send(settings: WebhookSettings, id: string, body: string, gone: AbortSignal): Promise<DeliveryResult> {
    const { sender, now, readKey, shutdown } = this.#deps;
    if (this.#sending.has(settings.id)) throw new ServiceError('store_busy');
    this.#sending.add(settings.id);
    try {
      const secrets = unsealAll(settings, await readKey(), now());
      if (secrets === undefined) return { isDelivered: false, error: unreadableSecret };
      const message = { url: settings.url, id, body, now: now(), secrets };
      return await sender.send(message, AbortSignal.any([shutdown, gone]));
    } catch (cause) {
      throw shutdown.aborted ? new ServiceError('shutting_down', { cause }) : cause;
    } finally {
      this.#sending.delete(settings.id);
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
function toEnabled(settings: WebhookSettings, isEnabled: boolean): WebhookSettings {
  if (isEnabled === settings.isEnabled) return settings;
  const { disabledReason, ...others } = toUnfailing(settings);
  return { ...others, isEnabled };
}

function toUnfailing(settings: WebhookSettings): WebhookSettings {
  return { ...settings, failuresFrom: settings.version + 1 };
}
