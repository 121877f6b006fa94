/**
 * Delivers the changes to one webhook: in order, one at a time. Reads the webhook before each
 * request, and saves what became of it before the next. Decides nothing about other webhooks.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Change, ChangeLog } from '../domain/change-log.ts';
import { ServiceError } from '../domain/errors.ts';
import { type DeliveryRecord, toWebhookState, type WebhookRecord, type WebhookStore } from '../domain/webhooks.ts';
import type { Log } from '../observe/log.ts';
import { StateLine } from '../observe/state-line.ts';
import { toDelivery, toKinds } from './events.ts';
import { findSkip } from './find-skip.ts';
import { logOutcome } from './log-outcome.ts';
import { advance, type DeliveryEvent, type Outcome } from './progress.ts';
import { unreadableSecret, unsealAll } from './secrets.ts';
import type { Sender } from './sender.ts';

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
  /** Called after each attempt. */
  readonly onAttempt?: ((isDelivered: boolean) => void) | undefined;
}

/** Changes that are read at once: bounds the memory of a hundred webhooks with long texts. */
const pageLimit = 20;
/** How long changes that the webhook does not want are passed without a write, in milliseconds. */
const passMsMax = 10_000;
/** Time before the next attempt after an error of ours or of the store, in milliseconds. */
const pauseMs = 1_000;
/** The longest delay of a timer; a later time is looked at again then. */
const timerMsMax = 2 ** 31 - 1;
/** When to look again: at once, or when somebody wakes the runner. */
const [atOnce, onceWoken] = [0, Infinity];

/** An error that is not of the receiver. */
const failing = {
  began: 'Cannot deliver to a webhook now; trying again',
  ended: 'Deliveries to a webhook are attempted again',
  level: 'warn',
} as const;

/** Changes that were read for these events, after this position, and are not delivered yet. */
interface Pending {
  readonly events: string;
  readonly changes: Change[];
  readonly next: string;
  readonly hasMore: boolean;
  after: string;
}

export class Runner {
  readonly #id: string;
  readonly #deps: RunnerDeps;
  #pending: Pending | undefined;
  /** Up to where there was nothing to deliver, and since when, by `performance.now()`. */
  #passed: { readonly from: string; readonly to: string; readonly since: number } | undefined;
  /** The last failed attempt, or the start of this runner, by `performance.now()`. */
  #failedAt = performance.now();
  /** Whether a failed delivery waits for its next attempt: further changes do not matter then. */
  #isWaiting = false;
  readonly #failing: StateLine;
  #isAwake = false;
  #isStopped = false;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(id: string, deps: RunnerDeps) {
    this.#failing = new StateLine(deps.log, () => performance.now(), failing);
    this.#id = id;
    this.#deps = deps;
  }

  /** Call after changes were committed. */
  wakeForChanges(): void {
    if (!this.#isWaiting) this.wake();
  }

  /** Call when the webhook itself may have changed. */
  wake(): void {
    this.#isAwake = true;
    if (this.#running !== undefined || this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      if (this.#isAwake) this.wake();
    });
  }

  /** Resolves once nothing is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { log, now, shutdown } = this.#deps;
    let dueAt = onceWoken;
    try {
      while (this.#isAwake && this.#canGoOn()) {
        this.#isAwake = false;
        this.#isWaiting = false;
        do dueAt = await this.#deliverNext();
        while (dueAt === atOnce && this.#canGoOn());
        this.#failing.end({ webhook: this.#id });
      }
    } catch (error) {
      this.#isAwake = false;
      if (shutdown.aborted) return;
      const fields = { error, webhook: this.#id };
      // The store reports itself that it cannot be used, and the dispatcher that there is no key.
      if (error instanceof ServiceError && error.status === 503) log.debug(fields, failing.began);
      else this.#failing.note(fields);
      dueAt = now() + pauseMs;
    }
    this.#isAwake &&= this.#canGoOn();
    if (dueAt === onceWoken || this.#isStopped) return;
    const delayMs = Math.min(Math.max(0, dueAt - now()), timerMsMax);
    this.#timer = setTimeout(() => this.wake(), delayMs).unref();
  }

  #canGoOn(): boolean {
    return !this.#isStopped && !this.#deps.shutdown.aborted && this.#deps.mayDeliver();
  }

  /** Makes the next attempt, if there is one to make; resolves to when to look again. */
  async #deliverNext(): Promise<number> {
    const { store, now } = this.#deps;
    const webhook = await store.webhooks.find(this.#id);
    if (webhook === undefined) return onceWoken;
    const { isEnabled, isChanged } = toWebhookState(webhook);
    if (!isEnabled) return onceWoken;
    const { waiting } = webhook.progress;
    if (waiting === undefined) return this.#deliverChange(webhook);
    const delivery = await store.webhooks.findDelivery(this.#id, waiting);
    if (delivery?.status !== 'waiting') {
      await this.#save(webhook, { kind: 'settled', position: delivery?.position ?? webhook.progress.position });
      return atOnce;
    }
    const { nextAttemptAt = 0, lastAttemptAt } = delivery;
    // After a last attempt in the future, the clock was set back: the next time means nothing.
    if (nextAttemptAt > now() && lastAttemptAt <= now() && !isChanged) {
      this.#isWaiting = true;
      return nextAttemptAt;
    }
    await this.#attempt(webhook, delivery);
    return atOnce;
  }

  async #deliverChange(webhook: WebhookRecord): Promise<number> {
    const { position } = webhook.progress;
    const pending = this.#pending;
    if (pending?.after !== position || pending.events !== webhook.settings.events.join()) {
      // The webhook is read again before these changes are used: they may contain changes that came after
      // a change of the webhook, never before it.
      this.#pending = await this.#readPending(webhook);
      return atOnce;
    }
    const [change] = pending.changes;
    if (change !== undefined) {
      const outcome = await this.#attempt(webhook, toDelivery(webhook, change, this.#deps.now()));
      if (outcome?.progress.position === change.position) {
        pending.after = change.position;
        pending.changes.shift();
      }
      return atOnce;
    }
    this.#pending = undefined;
    await this.#pass(webhook, pending.next);
    if (pending.hasMore) return atOnce;
    return this.#passed === undefined
      ? onceWoken
      : this.#deps.now() + this.#passed.since + passMsMax - performance.now();
  }

  /** Resolves to undefined, and moves the webhook, if its position is not in the log any more. */
  async #readPending(webhook: WebhookRecord): Promise<Pending | undefined> {
    const { changes } = this.#deps.store;
    const { settings, progress } = webhook;
    const after = this.#passed?.from === progress.position ? this.#passed.to : progress.position;
    try {
      const read = await changes.read({ after, limit: pageLimit, kinds: toKinds(settings.events) });
      const { next, hasMore } = read;
      return { after: progress.position, events: settings.events.join(), changes: [...read.changes], next, hasMore };
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'position_unknown')) throw error;
    }
    this.#passed = undefined;
    const skip = await findSkip(after, changes, this.#deps.now());
    this.#deps.log.warn({ webhook: this.#id, notice: skip.notice }, 'A webhook skipped changes');
    await this.#save(webhook, { kind: 'skipped', ...skip });
    return undefined;
  }

  /** Notes that there is nothing to deliver up to this position; writes it now and then. */
  async #pass(webhook: WebhookRecord, to: string): Promise<void> {
    const { position: from } = webhook.progress;
    const now = performance.now();
    const since = this.#passed?.from === from ? this.#passed.since : now;
    this.#passed = to === from ? undefined : { from, to, since };
    if (to === from || now - since < passMsMax) return;
    await this.#save(webhook, { kind: 'passed', position: to });
    this.#passed = undefined;
  }

  /** Sends once and saves the result; not if the service stops: the next start sends it again. */
  async #attempt(webhook: WebhookRecord, delivery: DeliveryRecord): Promise<Outcome | undefined> {
    const { sender, readKey, now, delaysMs, shutdown } = this.#deps;
    const secrets = unsealAll(webhook.settings, await readKey(), now());
    if (secrets === undefined) return this.#save(webhook, { kind: 'disabled', reason: unreadableSecret });
    const { id, body = '' } = delivery;
    const result = await sender.send({ url: webhook.settings.url, id, body, now: now(), secrets }, shutdown);
    this.#deps.onAttempt?.(result.isDelivered);
    const elapsedMs = performance.now() - this.#failedAt;
    if (!result.isDelivered) this.#failedAt = performance.now();
    return this.#save(webhook, { kind: 'tried', delivery, result, elapsedMs, delaysMs, random: Math.random() });
  }

  /**
   * Tries until it succeeds, so that no delivery is repeated because the store is busy or full.
   * Resolves to undefined if another instance has moved the webhook, or it is deleted.
   */
  async #save(webhook: WebhookRecord, event: DeliveryEvent): Promise<Outcome | undefined> {
    const { store, shutdown, log, now } = this.#deps;
    const outcome = advance(webhook, event, now());
    for (;;) {
      try {
        if (!(await store.webhooks.saveProgress(this.#id, outcome.progress, outcome.delivery))) return undefined;
        logOutcome(log, webhook, outcome, event.kind === 'tried' ? event.result.traceId : undefined);
        return outcome;
      } catch (error) {
        if (shutdown.aborted) throw error;
        log.debug({ error, webhook: this.#id }, 'Cannot save the result of a delivery now; trying again');
        await sleep(pauseMs, undefined, { signal: shutdown, ref: false });
      }
    }
  }
}
