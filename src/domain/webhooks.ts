/** Webhooks: their records, their port, their service. Each is a cursor in the change log. */
import type { Lag } from './change-log.ts';
import type { Delivery, NewWebhook, WebhookEvents, WebhookPatch } from './schemas.ts';

export type WebhookEvent = WebhookEvents[number];

/** Maximum number of webhooks of a store: each sends one request at a time, and has its memory. */
export const webhooksMax = 100;
/** Maximum number of deliveries kept for each webhook. */
export const deliveriesMax = 1_000;
/** How many waiting changes are counted: one read of the log, also if their texts are long. */
export const waitingMax = 100;
/** How long a delivery is kept after its last attempt, in milliseconds. */
export const deliveryAgeMsMax = 7 * 86_400_000;

/** A signing secret, encrypted. */
export interface SealedSecret {
  readonly sealed: string;
  /** Absent for the current secret. Milliseconds since 1970, like all times below. */
  readonly expiresAt?: number;
}

/** What its owner has set. Only operations write it. */
export interface WebhookSettings {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly createdAt: number;
  /** The current one first. */
  readonly secrets: readonly SealedSecret[];
  readonly isEnabled: boolean;
  /** Taken over from the progress by a later change of the settings; so is `notice`. */
  readonly disabledReason?: string;
  readonly notice?: string;
  /** Failures under earlier versions do not count. Absent: 0. */
  readonly failuresFrom?: number;
  /** When the settings were changed last. */
  readonly changedAt?: number;
  /** Grows with each change. */
  readonly version: number;
}

/** How far a webhook is. Only the dispatcher writes it. */
export interface WebhookProgress {
  /** Everything up to this position of the change log is delivered, or given up. */
  readonly position: string;
  /** The number of the last delivery. */
  readonly deliveries: number;
  /** The id of a delivery that failed and is tried again. It must end before `position` moves. */
  readonly waiting?: string;
  /** Present after a failure, until a success. */
  readonly failing?: Failing;
  /**
   * The version of the settings for which `disabledReason` and `notice` were written, and for which
   * alone they count.
   */
  readonly version: number;
  /** Present if the service disabled the webhook. */
  readonly disabledReason?: string;
  /** What the owner should know, such as up to where changes were skipped. */
  readonly notice?: string;
  /** Grows with each save. */
  readonly step: number;
}

export interface Failing {
  /** The time of the first failure. */
  readonly since: number;
  /** The time of the last failure. */
  readonly at: number;
  /** How long it has failed, as the wall clock and a monotonic one agree, in milliseconds. */
  readonly lastsMs: number;
  /** The version of the settings at the first failure. */
  readonly version: number;
}

/** Two rows, each with one writer: neither overwrites what the other has written. */
export interface WebhookRecord {
  readonly settings: WebhookSettings;
  readonly progress: WebhookProgress;
}

/** What is in force, by both rows. */
export interface WebhookState {
  readonly isEnabled: boolean;
  readonly disabledReason?: string;
  readonly notice?: string;
  readonly failing?: Failing;
  /** Whether the settings were changed since the last attempt: a waiting delivery is due then. */
  readonly isChanged: boolean;
}

export function toWebhookState({ settings, progress }: WebhookRecord): WebhookState {
  const isChanged = progress.version !== settings.version;
  const { disabledReason, notice } = isChanged ? settings : { ...settings, ...progress };
  const { failing } = progress;
  return {
    isEnabled: settings.isEnabled && disabledReason === undefined,
    ...(disabledReason === undefined ? {} : { disabledReason }),
    ...(notice === undefined ? {} : { notice }),
    ...(failing === undefined || failing.version < (settings.failuresFrom ?? 0) ? {} : { failing }),
    isChanged,
  };
}

/** One event for one webhook. */
export interface DeliveryRecord {
  /** The id is the same in each attempt: a function of webhook and position. */
  readonly id: string;
  /** Counts the deliveries of a webhook. */
  readonly number: number;
  readonly event: WebhookEvent;
  /** The position of the change. */
  readonly position: string;
  /** The plant that was changed; decimal, for documents of JSON. */
  readonly plantId: string;
  readonly createdAt: number;
  readonly status: Delivery['status'];
  readonly attempts: number;
  readonly lastAttemptAt: number;
  /** Present while `waiting`. Earlier if the settings are changed. */
  readonly nextAttemptAt?: number;
  /** The HTTP status of the last response. */
  readonly responseStatus?: number;
  /** Why the last attempt failed, in one sentence. */
  readonly error?: string;
  /** What is sent. Absent once delivered. */
  readonly body?: string;
}

/** The stored webhooks. Writes are durable like those of plants, and throw the same errors. */
export interface WebhookStore {
  /** Stores a new webhook. Resolves to false, without writing, if there are `webhooksMax`. */
  insert(webhook: WebhookRecord): Promise<boolean>;

  /** Resolves to all webhooks, in order of creation. */
  list(): Promise<readonly WebhookRecord[]>;

  find(id: string): Promise<WebhookRecord | undefined>;

  /**
   * Replaces the settings, which then have the next version. Resolves to false, without writing, if
   * the stored ones have another version or are deleted.
   */
  saveSettings(settings: WebhookSettings): Promise<boolean>;

  /**
   * Replaces the progress, which then has the next step, and stores the delivery, both in one
   * transaction; one that is stored as delivered stays so. Also removes deliveries beyond the
   * limits. Resolves to false, without writing, if another instance has saved since, or it is
   * deleted.
   */
  saveProgress(webhook: string, progress: WebhookProgress, delivery?: DeliveryRecord): Promise<boolean>;

  /** Replaces a delivery. Resolves to false, without writing, unless `from` is stored. */
  replaceDelivery(webhook: string, from: DeliveryRecord, to: DeliveryRecord): Promise<boolean>;

  /** Deletes the webhook and its deliveries. Resolves to false if it does not exist. */
  delete(id: string): Promise<boolean>;

  /** Resolves to the latest deliveries, newest first. */
  listDeliveries(webhook: string, limit: number): Promise<readonly DeliveryRecord[]>;

  findDelivery(webhook: string, id: string): Promise<DeliveryRecord | undefined>;

  /**
   * Takes or renews the right to deliver. Of several instances of the service, one has it. Resolves
   * to whether `owner` has it for `durationMs` from now.
   */
  lease(owner: string, durationMs: number): Promise<boolean>;

  /** Gives the right up, so that another instance takes it at once. */
  release(owner: string): Promise<void>;
}

/** A webhook and its new secret, which cannot be shown again. */
export interface WebhookSecret {
  readonly webhook: WebhookRecord;
  readonly secret: string;
}

/** The result of one request to a subscriber. */
export interface DeliveryResult {
  /** Whether the response had a status of 200 to 299. */
  readonly isDelivered: boolean;
  readonly responseStatus?: number;
  /** Why it failed, in one sentence. */
  readonly error?: string;
}

/** What a webhook has not delivered yet. */
export interface WebhookBacklog {
  /** How many changes wait for it, at most `waitingMax`. */
  readonly waiting: number;
  /** The changes of any kind after its position. Unwanted changes are passed within seconds. */
  readonly lag: Lag;
}

/** What the operations of webhooks call. Each throws ServiceError `webhook_unknown`. */
export interface Webhooks {
  /**
   * Creates a webhook that gets the changes from now on.
   * @throws ServiceError `webhook_invalid` if the URL is not allowed, `webhooks_full` if there are
   * too many, `webhook_key_missing` if secrets cannot be encrypted.
   */
  create(request: NewWebhook): Promise<WebhookSecret>;

  /**
   * Changes the given members. A webhook that is enabled again goes on where it was.
   * @throws ServiceError `webhook_invalid`.
   */
  update(id: string, patch: WebhookPatch): Promise<WebhookRecord>;

  delete(id: string): Promise<void>;

  /** Resolves to what is not delivered yet; undefined: that is not known now. */
  findBacklog(webhook: WebhookRecord): Promise<WebhookBacklog | undefined>;

  /**
   * Makes a new secret; each old one signs, too, until 24 hours after it was replaced.
   * @throws ServiceError `webhook_key_missing`.
   */
  rotateSecret(id: string): Promise<WebhookSecret>;

  /**
   * Sends a test event now, once.
   * @param gone aborted when nobody waits for the result any more.
   * @throws ServiceError `store_busy` while another request of an operation is sent for this
   * webhook.
   */
  test(id: string, gone: AbortSignal): Promise<DeliveryResult>;

  /**
   * Sends a failed delivery again now, once, or one that waits for a disabled webhook; makes
   * another waiting one due now.
   * @throws ServiceError `delivery_unknown`, `delivery_done` if it is delivered already,
   * `store_busy` as `test`.
   */
  retry(id: string, deliveryId: string, gone: AbortSignal): Promise<DeliveryRecord>;
}
