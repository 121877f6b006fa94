/**
 * Delivers the changes to one webhook: in order, one at a time. The cursor moves only after a
 * delivery succeeded or was given up. Decides nothing about other webhooks.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeBatch, ChangeLog } from '../domain/change-log.ts';
import { ServiceError } from '../domain/errors.ts';
import type { DeliveryRecord, WebhookRecord, WebhookStore } from '../domain/webhooks.ts';
import type { Log } from '../observe/log.ts';
import { changeWebhook, isUnknownWebhook } from './change-webhook.ts';
import { toDelivery, toEvent, toKinds } from './events.ts';
import { isPast, toOutcome } from './outcome.ts';
import { unreadableSecret, unsealAll } from './secrets.ts';
import type { Sender } from './sender.ts';
import { skipLost } from './skip-lost.ts';

/** What all runners share. */
export interface RunnerDeps {
  readonly store: { readonly changes: ChangeLog; readonly webhooks: WebhookStore };
  readonly sender: Pick<Sender, 'send'>;
  /** Resolves to the key that encrypts the secrets. */
  readonly readKey: () => Promise<Uint8Array>;
  readonly log: Log;
  readonly delaysMs: readonly number[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether this instance may send now. */
  readonly mayDeliver: () => boolean;
  readonly shutdown: AbortSignal;
}

/** Changes that are read at once: bounds the memory of a hundred webhooks with long texts. */
const pageLimit = 20;
/** How long changes that the webhook does not want are passed without a write, in milliseconds. */
const passMsMax = 10_000;
/** Time before the next attempt after an error of ours or of the store, in milliseconds. */
const pauseMs = 1_000;
/** The longest delay of a timer; a later time is looked at again then. */
const timerMsMax = 2 ** 31 - 1;

export class Runner {
  readonly #id: string;
  readonly #deps: RunnerDeps;
  /** As it is stored; undefined if it must be read again. */
  #webhook: WebhookRecord | undefined;
  /** Up to where there was nothing to deliver, and since when, by `performance.now()`. */
  #passed: { readonly from: string; readonly to: string; readonly since: number } | undefined;
  /** Whether a failed delivery waits for its next attempt: further changes do not matter then. */
  #isWaiting = false;
  #isAwake = false;
  #isStopped = false;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(id: string, deps: RunnerDeps) {
    this.#id = id;
    this.#deps = deps;
  }

  /** Call after changes were committed. */
  wakeForChanges(): void {
    if (!this.#isWaiting) this.#wake();
  }

  /** Call when the webhook itself may have changed. */
  wakeForWebhook(): void {
    this.#webhook = undefined;
    this.#wake();
  }

  /** Resolves once nothing is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #wake(): void {
    this.#isAwake = true;
    if (this.#running !== undefined || this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      if (this.#isAwake) this.#wake();
    });
  }

  async #run(): Promise<void> {
    const { log, now, shutdown } = this.#deps;
    let dueAt: number | undefined;
    try {
      while (this.#isAwake && this.#canGoOn()) {
        this.#isAwake = false;
        dueAt = await this.#deliverDue();
      }
    } catch (error) {
      this.#isAwake = false;
      this.#webhook = undefined;
      if (shutdown.aborted || isUnknownWebhook(error)) return;
      log.warn({ error, webhook: this.#id }, 'Cannot deliver to a webhook now; trying again');
      dueAt = now() + pauseMs;
    }
    this.#isAwake &&= this.#canGoOn();
    if (dueAt === undefined || this.#isStopped) return;
    const delayMs = Math.min(Math.max(0, dueAt - now()), timerMsMax);
    this.#timer = setTimeout(() => this.#wake(), delayMs).unref();
  }

  #canGoOn(): boolean {
    return !this.#isStopped && !this.#deps.shutdown.aborted && this.#deps.mayDeliver();
  }

  /** Delivers until nothing is due; resolves to when to look again. */
  async #deliverDue(): Promise<number | undefined> {
    const { store, now } = this.#deps;
    this.#isWaiting = false;
    while (this.#canGoOn()) {
      const webhook = (this.#webhook ??= await store.webhooks.find(this.#id));
      if (webhook?.isEnabled !== true) return undefined;
      if (webhook.waiting === undefined) {
        if (await this.#deliverPage(webhook)) continue;
        return this.#passed === undefined ? undefined : now() + this.#passed.since + passMsMax - performance.now();
      }
      const delivery = await store.webhooks.findDelivery(webhook.id, webhook.waiting);
      const { nextAttemptAt = 0, lastAttemptAt = 0 } = delivery ?? {};
      // After a last attempt in the future, the clock was set back: the time of the next one means nothing then.
      if (nextAttemptAt > now() && lastAttemptAt <= now()) {
        this.#isWaiting = true;
        return nextAttemptAt;
      }
      if (delivery === undefined) await this.#save(webhook, ({ waiting, ...others }) => ({ webhook: others }));
      else if (await this.#isCurrent(webhook)) await this.#attempt(webhook, delivery);
    }
    return undefined;
  }

  /** Delivers the changes of one page; resolves to whether there may be more to do now. */
  async #deliverPage(webhook: WebhookRecord): Promise<boolean> {
    const page = await this.#readPage(webhook);
    // Asked after the page was read: a later change of the webhook comes after all changes of the page.
    if (page === undefined || !(await this.#isCurrent(webhook))) return true;
    let current = webhook;
    for (const change of page.changes) {
      if (!webhook.events.includes(toEvent(change.kind))) continue;
      if (!this.#canGoOn()) return false;
      current = await this.#attempt(current, toDelivery(current, change, this.#deps.now()));
      // It failed, or the webhook was changed.
      if (current.position !== change.position || this.#webhook === undefined || !current.isEnabled) return true;
    }
    await this.#pass(current, page.next);
    return page.hasMore;
  }

  /** Whether the webhook is still as it was read: another instance may have changed or deleted it. */
  async #isCurrent(webhook: WebhookRecord): Promise<boolean> {
    const stored = await this.#deps.store.webhooks.find(webhook.id);
    if (stored?.version === webhook.version) return true;
    this.#webhook = undefined;
    return false;
  }

  /** Resolves to undefined if the position of the webhook is not in the log any more; it is moved then. */
  async #readPage(webhook: WebhookRecord): Promise<ChangeBatch | undefined> {
    const { changes } = this.#deps.store;
    const after = this.#passed?.from === webhook.position ? this.#passed.to : webhook.position;
    try {
      return await changes.read({ after, limit: pageLimit, kinds: toKinds(webhook.events) });
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'position_unknown')) throw error;
    }
    this.#passed = undefined;
    const skip = await skipLost(after, changes, this.#deps.now());
    this.#deps.log.warn({ webhook: this.#id, notice: skip.notice }, 'A webhook skipped changes');
    await this.#save(webhook, (stored) =>
      stored.position === webhook.position ? { webhook: { ...stored, ...skip } } : undefined,
    );
    return undefined;
  }

  /** Notes that there is nothing to deliver up to this position; writes it now and then. */
  async #pass(webhook: WebhookRecord, to: string): Promise<void> {
    if (to === webhook.position) {
      this.#passed = undefined;
      return;
    }
    const now = performance.now();
    const since = this.#passed?.from === webhook.position ? this.#passed.since : now;
    this.#passed = { from: webhook.position, to, since };
    if (now - since < passMsMax) return;
    await this.#save(webhook, (stored) =>
      stored.position === webhook.position ? { webhook: { ...stored, position: to } } : undefined,
    );
    this.#passed = undefined;
  }

  /**
   * Sends once and saves the result. Resolves to the webhook as it is stored then. If the service
   * stops, nothing is saved, and the next start sends it again.
   */
  async #attempt(webhook: WebhookRecord, delivery: DeliveryRecord): Promise<WebhookRecord> {
    const { sender, now, delaysMs, shutdown, log } = this.#deps;
    const secrets = unsealAll(webhook, await this.#deps.readKey(), now());
    if (secrets === undefined) {
      const disabled = { isEnabled: false, disabledReason: unreadableSecret };
      // There may be a new secret by now.
      const isSame = (stored: WebhookRecord): boolean => stored.secrets[0]?.sealed === webhook.secrets[0]?.sealed;
      const saved = await this.#save(webhook, (stored) =>
        isSame(stored) ? { webhook: { ...stored, ...disabled } } : undefined,
      );
      if (saved.disabledReason === unreadableSecret)
        log.warn({ webhook: webhook.id, reason: unreadableSecret }, 'Disabled a webhook');
      return saved;
    }
    const { id, body = '' } = delivery;
    const result = await sender.send({ url: webhook.url, id, body, now: now(), secrets }, shutdown);
    const attempt = { delivery, result, now: now(), delaysMs, random: Math.random() };
    const saved = await this.#save(webhook, async (stored) => {
      if (stored.position !== webhook.position || stored.waiting !== webhook.waiting) return undefined;
      if (!result.isDelivered && stored.version !== webhook.version) {
        const known = await this.#deps.store.webhooks.findDelivery(webhook.id, id);
        if (isPast({ webhook, delivery }, { webhook: stored, delivery: known })) return undefined;
      }
      return toOutcome(stored, attempt);
    });
    if (saved.disabledReason !== undefined && saved.disabledReason !== webhook.disabledReason)
      log.warn({ webhook: webhook.id, reason: saved.disabledReason }, 'Disabled a webhook');
    return saved;
  }

  /** Saves; tries until it succeeds, so that no delivery is repeated because the store is busy or full. */
  async #save(webhook: WebhookRecord, change: Parameters<typeof changeWebhook>[2]): Promise<WebhookRecord> {
    const { store, shutdown, log } = this.#deps;
    for (let known: WebhookRecord | undefined = webhook; ; known = undefined) {
      try {
        const saved = await changeWebhook(store.webhooks, this.#id, change, known);
        // Another change of the webhook may be noticed only after this.
        if (this.#webhook !== undefined) this.#webhook = saved;
        return saved;
      } catch (error) {
        if (shutdown.aborted || isUnknownWebhook(error)) throw error;
        log.debug({ error, webhook: this.#id }, 'Cannot save the result of a delivery now; trying again');
        await sleep(pauseMs, undefined, { signal: shutdown, ref: false });
      }
    }
  }
}
