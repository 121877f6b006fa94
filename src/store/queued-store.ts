/** Builds the store port from a write queue and reads. An adapter brings a commit and reads. */
import { ServiceError } from '../domain/errors.ts';
import type { ChangeLimits, ChangeLog } from '../domain/change-log.ts';
import type { PlantStore, Store, TokenStore } from '../domain/store.ts';
import { deliveryAgeMsMax, type WebhookStore } from '../domain/webhooks.ts';
import { ChangeListeners, type Watch } from './change-listeners.ts';
import { ChangeTrimmer, type TrimStep } from './change-trimmer.ts';
import { type CommitBatch, GroupCommit, type Pacing, type QueueLimits } from './group-commit.ts';
import { versionOf } from './version-of.ts';
import { isPlantWrite, type Results, type Write } from './write.ts';

export type PlantReads = Pick<PlantStore, 'find' | 'list' | 'listTags' | 'count' | 'revision' | 'snapshot'>;
export type ChangeReads = Pick<ChangeLog, 'latest' | 'read' | 'history'>;
export type TokenReads = Pick<TokenStore, 'findByHash' | 'list'>;
export type WebhookReads = Pick<WebhookStore, 'list' | 'find' | 'listDeliveries' | 'findDelivery'>;
export type WebhookLease = Pick<WebhookStore, 'lease' | 'release'>;

export interface StoreAdapter {
  readonly commit: CommitBatch;
  /** Absent: one batch at a time. */
  readonly pacing?: Pacing;
  /** Absent: a batch notes when a token was used. */
  readonly touch?: TokenStore['touch'];
  /** True while no write can be committed, besides a full queue. */
  readonly isAway?: () => boolean;
  readonly plants: PlantReads;
  readonly tokens: TokenReads;
  readonly changes: ChangeReads;
  readonly webhooks: WebhookReads;
  /** Absent: there is no other instance. */
  readonly webhookLease?: WebhookLease;
  readonly trimChanges: TrimStep;
  /** Absent: there is no other instance. */
  readonly watch?: Watch;
  /** See `Store.ping`. */
  readonly ping: () => Promise<void>;
  /** See `Store.failed`. */
  readonly failed: Promise<Error>;
  /** Called once, after the last batch is settled. */
  readonly close: () => Promise<void>;
}

export interface QueuedStoreOptions {
  readonly limits: QueueLimits;
  /** Absent: changes are never removed. */
  readonly changeLimits?: ChangeLimits | undefined;
}

export function openQueuedStore(adapter: StoreAdapter, { limits, changeLimits }: QueuedStoreOptions): Store {
  const listeners = new ChangeListeners(adapter.watch);
  const trimmer = changeLimits === undefined ? undefined : new ChangeTrimmer(adapter.trimChanges, changeLimits);
  const commit: CommitBatch = async (writes) => {
    const outcomes = await adapter.commit(writes);
    const changing = writes.filter(isPlantWrite);
    if (changing.length > 0) {
      listeners.call();
      trimmer?.advance(changing.reduce((sum, write) => sum + (write.kind === 'import' ? write.rows.length : 1), 0));
    }
    return outcomes;
  };
  const queue = new GroupCommit(commit, limits, adapter.pacing);
  const submit: Submit = (write) => queue.submit(write);
  let closed: Promise<void> | undefined;
  const isOpen = (): boolean => closed === undefined;
  const requireOpen = (): void => requireThat(isOpen());
  const tokens = toTokenStore(adapter.tokens, submit);
  return {
    plants: toPlantStore(adapter.plants, submit, isOpen),
    changes: toChangeLog(adapter.changes, listeners, isOpen),
    webhooks: toWebhookStore(adapter.webhooks, adapter.webhookLease ?? aloneLease, submit, isOpen),
    tokens: {
      ...tokens,
      touch: async (id, usedAt) => {
        requireOpen();
        await (adapter.touch ?? tokens.touch)(id, usedAt);
      },
      findByHash: async (hash) => {
        requireOpen();
        return tokens.findByHash(hash);
      },
      list: async () => {
        requireOpen();
        return tokens.list();
      },
    },
    isBusy: () => queue.isFull() || adapter.isAway?.() === true,
    ping: async () => {
      requireOpen();
      await adapter.ping();
    },
    failed: adapter.failed,
    close: () => {
      closed ??= queue
        .close()
        .then(() => trimmer?.close())
        .then(() => adapter.close());
      return closed;
    },
  };
}

/** Commits one write. */
type Submit = <Kind extends Write>(write: Kind) => Promise<Results[Kind['kind']]>;

/** @throws ServiceError `shutting_down` once the store is closed. */
function requireThat(isOpen: boolean): void {
  if (!isOpen) throw new ServiceError('shutting_down');
}

function toPlantStore(reads: PlantReads, submit: Submit, isOpen: () => boolean): PlantStore {
  const requireOpen = (): void => requireThat(isOpen());
  return {
    create: (plant, by) => submit({ kind: 'create', plant, by }),
    put: (plant, condition, by) => submit({ kind: 'put', plant, condition, by }),
    patch: (id, patch, condition, by) => submit({ kind: 'patch', id, patch, condition, by }),
    delete: async (id, condition, by) => {
      await submit({ kind: 'delete', id, condition, by });
    },
    import: (rows, options, by) => submit({ kind: 'import', rows, options, by }),
    versionOf,
    find: async (id) => {
      requireOpen();
      return reads.find(id);
    },
    list: async (page) => {
      requireOpen();
      return reads.list(page);
    },
    listTags: async (page) => {
      requireOpen();
      return reads.listTags(page);
    },
    count: async () => {
      requireOpen();
      return reads.count();
    },
    revision: () => (isOpen() ? reads.revision() : undefined),
    async *snapshot(filter) {
      requireOpen();
      yield* reads.snapshot(filter);
    },
  };
}

function toChangeLog(reads: ChangeReads, listeners: ChangeListeners, isOpen: () => boolean): ChangeLog {
  const requireOpen = (): void => requireThat(isOpen());
  return {
    latest: async () => {
      requireOpen();
      return reads.latest();
    },
    read: async (page) => {
      requireOpen();
      return reads.read(page);
    },
    history: async (id, limit, before) => {
      requireOpen();
      return reads.history(id, limit, before);
    },
    subscribe: (listener) => listeners.add(listener),
  };
}

/** Without other instances, this one always has the right to deliver. */
const aloneLease: WebhookLease = {
  lease: () => Promise.resolve(true),
  release: () => Promise.resolve(),
};

function toWebhookStore(
  reads: WebhookReads,
  { lease, release }: WebhookLease,
  submit: Submit,
  isOpen: () => boolean,
): WebhookStore {
  const requireOpen = (): void => requireThat(isOpen());
  return {
    insert: (webhook) => submit({ kind: 'insert-webhook', webhook }),
    save: (webhook, delivery) =>
      submit({ kind: 'save-webhook', webhook, delivery, oldestAt: Date.now() - deliveryAgeMsMax }),
    delete: (id) => submit({ kind: 'delete-webhook', id }),
    list: async () => {
      requireOpen();
      return reads.list();
    },
    find: async (id) => {
      requireOpen();
      return reads.find(id);
    },
    listDeliveries: async (webhook, limit) => {
      requireOpen();
      return reads.listDeliveries(webhook, limit);
    },
    findDelivery: async (webhook, id) => {
      requireOpen();
      return reads.findDelivery(webhook, id);
    },
    lease: async (owner, durationMs) => {
      requireOpen();
      return lease(owner, durationMs);
    },
    release: async (owner) => {
      requireOpen();
      await release(owner);
    },
  };
}

/** Builds the token port from reads and a function that commits one write. */
export function toTokenStore(reads: TokenReads, submit: Submit): TokenStore {
  return {
    insert: async (token) => {
      await submit({ kind: 'insert-token', token, onlyFirst: false });
    },
    insertFirst: (token) => submit({ kind: 'insert-token', token, onlyFirst: true }),
    findByHash: (hash) => reads.findByHash(hash),
    list: () => reads.list(),
    revoke: (id, revokedAt) => submit({ kind: 'revoke-token', id, revokedAt }),
    touch: async (id, usedAt) => {
      await submit({ kind: 'touch-token', id, usedAt });
    },
  };
}
