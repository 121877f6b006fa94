/** Delivers to all webhooks, on one instance at a time. A slow webhook holds up no other. */
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../domain/errors.ts';
import { toWebhookState, type WebhookRecord } from '../domain/webhooks.ts';
import { StateLine } from '../observe/state-line.ts';
import { advance } from './progress.ts';
import { Runner, type RunnerDeps } from './runner.ts';
import { unreadableSecret, unsealAll } from './secrets.ts';

export interface DispatcherOptions extends Omit<RunnerDeps, 'mayDeliver'> {
  readonly leaseMs?: number;
  readonly tickMs?: number;
}

/** Another instance takes over after the lease and its own next tick: within 25 seconds. */
const defaultLeaseMs = 20_000;
/** How often the lease is renewed, and changes of webhooks by other instances are noticed. */
const defaultTickMs = 5_000;
/** Minimum time between two reads of each webhook for new changes, in milliseconds. */
const pauseMs = 100;

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #leaseMs: number;
  readonly #owner = randomUUID();
  readonly #runners = new Map<string, Runner>();
  readonly #timer: NodeJS.Timeout;
  /** By `performance.now()`. */
  #leasedUntil = 0;
  readonly #keyless: StateLine;
  readonly #failing: StateLine;
  #ticking: Promise<void> | undefined;
  #isTickWanted = false;
  #isWakePlanned = false;
  /** When the runners were woken for changes, by `performance.now()`. */
  #wokenAt = -Infinity;
  #endSubscription: (() => void) | undefined;
  #stopped: Promise<void> | undefined;

  /** Starts to deliver. */
  constructor({ leaseMs = defaultLeaseMs, tickMs = defaultTickMs, ...options }: DispatcherOptions) {
    this.#options = options;
    this.#leaseMs = leaseMs;
    this.#keyless = new StateLine(options.log, () => performance.now(), {
      began: 'Cannot read the key of the webhooks: this instance does not deliver until it can',
      ended: 'This instance can deliver to webhooks again',
      level: 'warn',
    });
    this.#failing = new StateLine(options.log, () => performance.now(), {
      began: 'Cannot read the webhooks now; trying again',
      ended: 'The webhooks can be read again',
      level: 'warn',
    });
    this.#timer = setInterval(() => this.wake(), tickMs).unref();
    // Another instance takes over while this one still answers its clients.
    options.shutdown.addEventListener('abort', () => void this.stop(), { once: true });
    this.wake();
  }

  /** Call after webhooks were changed. */
  wake(): void {
    this.#isTickWanted = true;
    if (this.#stopped !== undefined) return;
    this.#ticking ??= this.#tick().finally(() => {
      this.#ticking = undefined;
      // Woken after its last look.
      if (this.#isTickWanted) this.wake();
    });
  }

  /**
   * Resolves once nothing is under way. Call it after `shutdown` was aborted, and before the
   * store is closed.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#ticking;
    await this.#keepOnly([]);
    this.#leasedUntil = 0;
    await this.#options.store.webhooks.release(this.#owner).catch(() => undefined);
  }

  async #tick(): Promise<void> {
    while (this.#isTickWanted && this.#stopped === undefined) {
      this.#isTickWanted = false;
      try {
        await this.#renew();
        this.#failing.end();
      } catch (error) {
        // The store reports itself that it cannot be used.
        if (error instanceof ServiceError && error.status === 503)
          this.#options.log.debug({ error }, 'Cannot read the webhooks now; trying again');
        else this.#failing.note({ error });
      }
    }
  }

  async #renew(): Promise<void> {
    const { store } = this.#options;
    const now = performance.now();
    const hasLease = await store.webhooks.lease(this.#owner, this.#leaseMs);
    this.#leasedUntil = hasLease ? now + this.#leaseMs : 0;
    const all = hasLease ? await store.webhooks.list() : [];
    const found = all.filter((each) => toWebhookState(each).isEnabled || isOfOtherKey(each));
    if (hasLease && found.length === 0) this.#keyless.end();
    const key = found.length === 0 ? undefined : await this.#findKey();
    const canSign = found.length === 0 || key !== undefined;
    const enabled = key === undefined ? [] : await this.#enableReadable(found, key);
    void this.#keepOnly(enabled);
    if (!canSign) {
      // For an instance that has the key.
      this.#leasedUntil = 0;
      await store.webhooks.release(this.#owner);
    }
    for (const id of enabled) {
      const runner = this.#runners.get(id) ?? new Runner(id, { ...this.#options, mayDeliver: () => this.#hasLease() });
      this.#runners.set(id, runner);
      runner.wake();
    }
  }

  async #findKey(): Promise<Uint8Array | undefined> {
    try {
      const key = await this.#options.readKey();
      this.#keyless.end();
      return key;
    } catch (error) {
      this.#keyless.note({ error });
      return undefined;
    }
  }

  /** Once the key of a webhook is back, it goes on. Resolves to the ids of all that are enabled. */
  async #enableReadable(found: readonly WebhookRecord[], key: Uint8Array): Promise<readonly string[]> {
    const { store, log, now } = this.#options;
    const ids: string[] = [];
    for (const webhook of found) {
      const { id } = webhook.settings;
      if (isOfOtherKey(webhook)) {
        if (unsealAll(webhook.settings, key, now()) === undefined) continue;
        if (!(await store.webhooks.saveProgress(id, advance(webhook, { kind: 'enabled' }, now()).progress))) continue;
        log.info({ webhook: id }, 'Enabled a webhook: its secret can be decrypted again');
      }
      ids.push(id);
    }
    return ids;
  }

  #hasLease(): boolean {
    return performance.now() < this.#leasedUntil;
  }

  /** Lets the writers have their answers first; wakes once for all commits of a while. */
  #wakeSoon(): void {
    if (this.#isWakePlanned) return;
    this.#isWakePlanned = true;
    const wake = (): void => {
      this.#isWakePlanned = false;
      this.#wokenAt = performance.now();
      for (const runner of this.#runners.values()) runner.wakeForChanges();
    };
    const waitMs = this.#wokenAt + pauseMs - performance.now();
    if (waitMs > 0) setTimeout(wake, waitMs).unref();
    else setImmediate(wake);
  }

  /** Stops the other runners; listens to the log only while there are any. */
  async #keepOnly(ids: readonly string[]): Promise<void> {
    const kept = new Set(ids);
    if (kept.size > 0) {
      this.#endSubscription ??= this.#options.store.changes.subscribe(() => this.#wakeSoon());
    } else {
      this.#endSubscription?.();
      this.#endSubscription = undefined;
    }
    const others = [...this.#runners].filter(([id]) => !kept.has(id));
    // A runner that still sends keeps its place: a second one would send the same events.
    await Promise.all(
      others.map(async ([id, runner]) => {
        await runner.stop();
        this.#runners.delete(id);
      }),
    );
  }
}

/** Whether the service, and not its owner, has disabled it: its secret was encrypted with another key. */
function isOfOtherKey(webhook: WebhookRecord): boolean {
  return webhook.settings.isEnabled && toWebhookState(webhook).disabledReason === unreadableSecret;
}
