/** Builds the store port from a write queue and reads. An adapter brings a commit and reads. */
import { ServiceError } from '../domain/errors.ts';
import type { PlantStore, Store, TokenStore } from '../domain/store.ts';
import { type CommitBatch, GroupCommit, type Pacing, type QueueLimits } from './group-commit.ts';
import { versionOf } from './version-of.ts';
import type { Results, Write } from './write.ts';

export type PlantReads = Pick<PlantStore, 'find' | 'list' | 'listTags' | 'count' | 'revision' | 'snapshot'>;
export type TokenReads = Pick<TokenStore, 'findByHash' | 'list'>;

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
  /** See `Store.ping`. */
  readonly ping: () => Promise<void>;
  /** See `Store.failed`. */
  readonly failed: Promise<Error>;
  /** Called once, after the last batch is settled. */
  readonly close: () => Promise<void>;
}

export function openQueuedStore(adapter: StoreAdapter, limits: QueueLimits): Store {
  const queue = new GroupCommit(adapter.commit, limits, adapter.pacing);
  let closed: Promise<void> | undefined;
  const requireOpen = (): void => {
    if (closed !== undefined) throw new ServiceError('shutting_down');
  };
  const reads = adapter.plants;
  const tokens = toTokenStore(adapter.tokens, (write) => queue.submit(write));
  return {
    plants: {
      create: (plant) => queue.submit({ kind: 'create', plant }),
      put: (plant, condition) => queue.submit({ kind: 'put', plant, condition }),
      patch: (id, patch, condition) => queue.submit({ kind: 'patch', id, patch, condition }),
      delete: async (id, condition) => {
        await queue.submit({ kind: 'delete', id, condition });
      },
      import: (rows, options) => queue.submit({ kind: 'import', rows, options }),
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
      revision: () => (closed === undefined ? reads.revision() : undefined),
      async *snapshot(filter) {
        requireOpen();
        yield* reads.snapshot(filter);
      },
    },
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
    close: () => (closed ??= queue.close().then(() => adapter.close())),
  };
}

/** Builds the token port from reads and a function that commits one write. */
export function toTokenStore(
  reads: TokenReads,
  submit: <Kind extends Write>(write: Kind) => Promise<Results[Kind['kind']]>,
): TokenStore {
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
