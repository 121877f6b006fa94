/** Builds the store port from a write queue and reads. An adapter brings a commit and reads. */
import { ServiceError } from '../domain/errors.ts';
import type { ChangeLimits, ChangeLog } from '../domain/change-log.ts';
import type { PlantStore, Store, TokenStore } from '../domain/store.ts';
import type { WebhookStore } from '../domain/webhooks.ts';
import { ChangeTrimmer, type Trim } from './change-trimmer.ts';
import { type QueueLimits, WriteQueue } from './write-queue.ts';
import type { StoreObserver } from './store-observer.ts';
import { versionOf } from './version-of.ts';
import { type CommitWrites, countRows, isPlantWrite } from './write.ts';

/** The reads that an adapter brings to each port; the rest of a port is made here. */
const plantReads = ['find', 'list', 'listTags', 'count'] as const;
const changeReads = [
  'latest',
  'oldestAfter',
  'lagOf',
  'read',
  'history',
  'newest',
  'ofGroup',
  'expiredIn',
  'plantsIn',
  'changedIn',
] as const;
const tokenReads = ['findByHash', 'list'] as const;
const webhookReads = ['list', 'find', 'listDeliveries', 'findDelivery'] as const;

export type PlantReads = Pick<PlantStore, (typeof plantReads)[number] | 'revision' | 'snapshot'>;
export type ChangeReads = Pick<ChangeLog, (typeof changeReads)[number]>;
export type TokenReads = Pick<TokenStore, (typeof tokenReads)[number]>;
export type WebhookReads = Pick<WebhookStore, (typeof webhookReads)[number]>;
export type WebhookLease = Pick<WebhookStore, 'lease' | 'release'>;

/** The methods of a port, which may return their results without a promise. */
export type Reads<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => Promise<infer Value>
    ? (...args: Args) => Value | Promise<Value>
    : Port[Name];
};

/** Runs one read. */
type Read = <Value>(work: () => Value | Promise<Value>) => Promise<Value>;
/** Commits one write. */
type Submit = WriteQueue['submit'];

export interface StoreAdapter {
  readonly commit: CommitWrites;
  /** See `Pacing`. */
  readonly commitsMax: number;
  /** Absent: a write notes when a token was used. */
  readonly touch?: TokenStore['touch'];
  /** Why no write can be committed, besides a full queue; undefined while writes can be. */
  readonly findAbsence?: () => ServiceError | undefined;
  /** Turns what a read throws into a ServiceError. Absent: the reads do that. */
  readonly read?: Read;
  readonly plants: Reads<PlantReads>;
  readonly tokens: Reads<TokenReads>;
  readonly changes: Reads<ChangeReads>;
  readonly webhooks: Reads<WebhookReads>;
  readonly trimChanges: Trim;
  /** Absent: there are no other instances. `subscribe` calls back when one may have written. */
  readonly otherInstances?: WebhookLease & Pick<ChangeLog, 'subscribe'>;
  /** See `Store.ping`. */
  readonly ping: () => Promise<void> | void;
  /** See `Store.failed`. */
  readonly failed: Promise<Error>;
  /** Called once, after the last commit is settled. */
  readonly close: () => Promise<void>;
}

export interface QueuedStoreOptions {
  readonly limits: QueueLimits;
  /** Absent: changes are never removed. */
  readonly changeLimits?: ChangeLimits | undefined;
  readonly observer?: StoreObserver | undefined;
}

export function openQueuedStore(adapter: StoreAdapter, { limits, changeLimits, observer }: QueuedStoreOptions): Store {
  const listeners = new Listeners(adapter.otherInstances?.subscribe);
  const trimmer = changeLimits === undefined ? undefined : new ChangeTrimmer(adapter.trimChanges, changeLimits);
  const commitAndNotify: CommitWrites = async (writes) => {
    const results = await adapter.commit(writes);
    const changing = writes.filter(isPlantWrite);
    if (changing.length > 0) {
      listeners.call();
      trimmer?.advance(countRows(changing));
    }
    return results;
  };
  const queue = new WriteQueue(commitAndNotify, limits, {
    commitsMax: adapter.commitsMax,
    ...(observer === undefined ? {} : { onCommit: (summary) => observer.onCommit(summary) }),
  });
  observer?.onOpen?.(() => queue.load);
  const submit: Submit = (write) => {
    // The queue refuses it.
    if (queue.isFull()) observer?.onRefused({ code: 'store_busy' });
    return queue.submit(write);
  };
  const findRefusal = (): ServiceError | undefined =>
    queue.isFull() ? new ServiceError('store_busy') : adapter.findAbsence?.();
  let closed: Promise<void> | undefined;
  const isOpen = (): boolean => closed === undefined;
  const readOpen: Read = adapter.read ?? (async (work) => work());
  /** Rejects with ServiceError `shutting_down` once the store is closed. Makes no promise of its own: reads are many. */
  const read: Read = (work) => (isOpen() ? readOpen(work) : Promise.reject(new ServiceError('shutting_down')));
  const { touch } = adapter;
  return {
    plants: { ...toPlantStore(adapter.plants, submit, read, isOpen), bulkRows: () => queue.bulkRows },
    changes: {
      ...mapPort<ChangeReads>(adapter.changes, changeReads, read),
      subscribe: (listener) => listeners.add(listener),
    },
    webhooks: toWebhookStore(adapter.webhooks, adapter.otherInstances ?? aloneLease, submit, read),
    tokens: {
      ...toTokenStore(adapter.tokens, submit, read),
      ...(touch === undefined ? {} : { touch: (id, usedAt) => read(() => touch(id, usedAt)) }),
    },
    isBusy: () => findRefusal() !== undefined,
    requireWritable: () => {
      const refusal = findRefusal();
      if (refusal === undefined) return;
      observer?.onRefused({ code: refusal.code });
      throw refusal;
    },
    ping: () => read(() => adapter.ping()),
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

/** The listeners of `subscribe`. Other instances are looked at only while there are some. */
class Listeners {
  readonly #all = new Set<() => void>();
  readonly #subscribeToOthers: ChangeLog['subscribe'] | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(subscribeToOthers: ChangeLog['subscribe'] | undefined) {
    this.#subscribeToOthers = subscribeToOthers;
  }

  /** See `ChangeLog.subscribe`. */
  add(listener: () => void): () => void {
    // A caller may add the same function twice.
    const own = (): void => listener();
    this.#all.add(own);
    this.#unsubscribe ??= this.#subscribeToOthers?.(() => this.call());
    return () => {
      this.#all.delete(own);
      if (this.#all.size > 0) return;
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
    };
  }

  call(): void {
    for (const listener of this.#all) listener();
  }
}

/** Returns the methods of a port, each run by `read`. */
function mapPort<Port>(reads: Reads<Port>, names: readonly (keyof Port)[], read: Read): Port {
  const methods = reads as Readonly<Record<keyof Port, (...args: readonly unknown[]) => unknown>>;
  const toMethod =
    (name: keyof Port) =>
    (...args: readonly unknown[]) =>
      read(() => methods[name](...args));
  return Object.fromEntries(names.map((name) => [name, toMethod(name)])) as Port;
}

function toPlantStore(
  reads: StoreAdapter['plants'],
  submit: Submit,
  read: Read,
  isOpen: () => boolean,
): Omit<PlantStore, 'bulkRows'> {
  return {
    ...mapPort<Pick<PlantStore, (typeof plantReads)[number]>>(reads, plantReads, read),
    create: (plant, by) => submit({ kind: 'create', plant, by }),
    put: (plant, condition, by) => submit({ kind: 'put', plant, condition, by }),
    patch: (id, patch, condition, by) => submit({ kind: 'patch', id, patch, condition, by }),
    delete: async (id, condition, by) => {
      await submit({ kind: 'delete', id, condition, by });
    },
    import: (rows, rules, by) => submit({ kind: 'import', rows, rules, by, group: rules.group }),
    edit: (rows, group, by) => submit({ kind: 'edit', rows, group, by }),
    versionOf,
    revision: () => (isOpen() ? reads.revision() : undefined),
    async *snapshot(filter) {
      yield* await read(() => reads.snapshot(filter));
    },
  };
}

/** Without other instances, this one always has the right to deliver. */
const aloneLease: WebhookLease = {
  lease: () => Promise.resolve(true),
  release: () => Promise.resolve(),
};

function toWebhookStore(
  reads: StoreAdapter['webhooks'],
  { lease, release }: WebhookLease,
  submit: Submit,
  read: Read,
): WebhookStore {
  return {
    ...mapPort<WebhookReads>(reads, webhookReads, read),
    insert: (webhook) => submit({ kind: 'insert-webhook', webhook }),
    saveSettings: (settings) => submit({ kind: 'save-settings', settings }),
    saveProgress: (webhook, progress, delivery) => submit({ kind: 'save-progress', webhook, progress, delivery }),
    replaceDelivery: (webhook, from, to) => submit({ kind: 'replace-delivery', webhook, from, to }),
    delete: (id) => submit({ kind: 'delete-webhook', id }),
    lease: (owner, durationMs) => read(() => lease(owner, durationMs)),
    release: (owner) => read(() => release(owner)),
  };
}

/** Builds the token port from reads and a function that commits one write. */
export function toTokenStore(reads: StoreAdapter['tokens'], submit: Submit, read: Read): TokenStore {
  return {
    ...mapPort<TokenReads>(reads, tokenReads, read),
    insert: async (token, countMax) => {
      if (!(await submit({ kind: 'insert-token', token, onlyFirst: false, countMax })))
        throw new ServiceError('tokens_full');
    },
    insertFirst: (token) => submit({ kind: 'insert-token', token, onlyFirst: true }),
    revoke: (id, revokedAt) => submit({ kind: 'revoke-token', id, revokedAt }),
    touch: async (id, usedAt) => {
      await submit({ kind: 'touch-token', id, usedAt });
    },
  };
}
