/**
 * The store of a space. It begins as the seed, is closed to a compressed image while nobody uses
 * it, and opened by the next call: who calls it never notices.
 */
import type { Change, ChangeLog } from '../domain/change-log.ts';
import { ServiceError } from '../domain/errors.ts';
import type { PlantStore, Store } from '../domain/store.ts';
import { ChangeListeners } from '../store/change-listeners.ts';
import { type MemoryStore, openMemoryStore } from '../store/sqlite/open-memory-store.ts';
import { versionOf } from '../store/version-of.ts';
import type { OpenStore, OpenStores } from './open-stores.ts';
import { pack, unpack } from './pack-image.ts';
import { callerName } from './sandbox-token.ts';
import { type Seed, toOwnPosition } from './seed.ts';

/** Writes of a space that wait for their commit. */
const limits = { writesMax: 100, bytesMax: 1_048_576 };
/** Changes are removed by their number: no space is that old. */
const changesAgeMsMax = 30 * 86_400_000;

export interface EvictableStoreOptions {
  readonly seed: Seed;
  /** Which it enters while it is open. */
  readonly openStores: OpenStores;
  readonly bytesMax: number;
  readonly changesMax: number;
  /** Called with the growth of its image, in bytes. */
  readonly onGrown: (bytes: number) => void;
  /** Called when it has lost its plants, and is the seed again. */
  readonly onLost: (error: unknown) => void;
}

interface Opened {
  readonly store: MemoryStore;
  /** Calls that run. */
  calls: number;
}

/** Runs a call on the open store. */
type Use = <Result>(call: (store: MemoryStore) => Promise<Result>) => Promise<Result>;

export class EvictableStore implements Store, OpenStore {
  readonly plants: PlantStore;
  readonly changes: ChangeLog;
  readonly tokens: Store['tokens'];
  readonly webhooks: Store['webhooks'];
  /** Never: one that fails is the seed again. */
  readonly failed = Promise.withResolvers<never>().promise;
  readonly #options: EvictableStoreOptions;
  readonly #listeners = new ChangeListeners(undefined);
  /** Undefined: it is the seed. */
  #image: Uint8Array | undefined;
  #opened: Opened | undefined;
  /** Calls that wait until it is open. */
  #waiting = 0;
  /** While it is opened or closed. */
  #moving: Promise<void> | undefined;
  /** Above all revisions before it was last opened. */
  #revision = 0;
  /** Differs after each reset. */
  #life = 0;

  constructor(options: EvictableStoreOptions) {
    this.#options = options;
    const use: Use = (call) => this.#use(call);
    this.plants = {
      create: (plant, by) => use(({ plants }) => plants.create(plant, by)),
      put: (plant, condition, by) => use(({ plants }) => plants.put(plant, condition, by)),
      patch: (id, patch, condition, by) => use(({ plants }) => plants.patch(id, patch, condition, by)),
      delete: (id, condition, by) => use(({ plants }) => plants.delete(id, condition, by)),
      import: (rows, how, by) => use(({ plants }) => plants.import(rows, how, by)),
      edit: (edits, group, by) => use(({ plants }) => plants.edit(edits, group, by)),
      versionOf,
      find: (id) => use(({ plants }) => plants.find(id)),
      list: (page) => use(({ plants }) => plants.list(page)),
      listPart: (page) => use(({ plants }) => plants.listPart(page)),
      listTags: (page) => use(({ plants }) => plants.listTags(page)),
      count: () => use(({ plants }) => plants.count()),
      revision: () => this.#findRevision(),
      snapshot: (filter) => this.#snapshot(filter),
    };
    this.changes = toChanges(use, options.seed, this.#listeners);
    // None of a sandbox has any.
    this.tokens = options.seed.store.tokens;
    this.webhooks = options.seed.store.webhooks;
  }

  isBusy(): boolean {
    return this.#opened?.store.isBusy() ?? false;
  }

  ping(): Promise<void> {
    return this.#use((store) => store.ping());
  }

  isUnused(): boolean {
    return this.#opened?.calls === 0 && this.#waiting === 0;
  }

  async evict(): Promise<void> {
    const opened = this.#leave();
    if (opened !== undefined) await (this.#moving = this.#save(opened, this.#life));
  }

  /** From now on it is the seed again, with a new change log. Calls that run end on the old one. */
  reset(): void {
    this.#life += 1;
    this.#keep(undefined);
    const opened = this.#leave();
    if (opened === undefined) return;
    this.#options.openStores.remove(this);
    if (opened.calls === 0) void opened.store.close();
  }

  async close(): Promise<void> {
    await this.#moving;
    await this.#leave()?.store.close();
    this.#options.openStores.remove(this);
  }

  async #use<Result>(call: (store: MemoryStore) => Promise<Result>): Promise<Result> {
    const opened = await this.#acquire();
    try {
      return await call(opened.store);
    } finally {
      this.#release(opened);
    }
  }

  async *#snapshot(...args: Parameters<PlantStore['snapshot']>): ReturnType<MemoryStore['plants']['snapshot']> {
    const opened = await this.#acquire();
    try {
      yield* opened.store.plants.snapshot(...args);
    } finally {
      this.#release(opened);
    }
  }

  async #acquire(): Promise<Opened> {
    this.#waiting += 1;
    try {
      while (this.#opened === undefined) await (this.#moving ??= this.#open());
    } finally {
      this.#waiting -= 1;
    }
    this.#opened.calls += 1;
    this.#options.openStores.touch(this);
    return this.#opened;
  }

  #release(opened: Opened): void {
    opened.calls -= 1;
    if (opened.calls > 0) return;
    if (opened === this.#opened) this.#options.openStores.free();
    else void opened.store.close();
  }

  /** @throws ServiceError `store_failed` if the image cannot be opened. */
  async #open(): Promise<void> {
    const { seed, openStores, bytesMax, changesMax } = this.#options;
    await openStores.enter(this);
    try {
      const isCopy = this.#image === undefined;
      const image = this.#image === undefined ? seed.image : unpack(this.#image, seed);
      const changeLimits = { recordsMax: changesMax, ageMsMax: changesAgeMsMax };
      const store = openMemoryStore({ image, isCopy, bytesMax, limits, changeLimits });
      const opened = { store, calls: 0 };
      this.#opened = opened;
      store.changes.subscribe(() => this.#listeners.call());
      void store.failed.then((error) => {
        if (this.#opened === opened) this.#lose(error);
      });
    } catch (cause) {
      openStores.remove(this);
      this.#lose(cause);
      throw new ServiceError('store_failed', { cause });
    } finally {
      this.#moving = undefined;
    }
  }

  /** Closes what was open, and keeps its image unless it is reset meanwhile. */
  async #save({ store }: Opened, life: number): Promise<void> {
    try {
      await store.close();
      if (life === this.#life) this.#keep(pack(store.toImage(), this.#options.seed));
    } catch (error) {
      if (life === this.#life) this.#lose(error);
    } finally {
      this.#moving = undefined;
      this.#options.openStores.remove(this);
    }
  }

  #lose(error: unknown): void {
    this.reset();
    this.#options.onLost(error);
  }

  #keep(image: Uint8Array | undefined): void {
    this.#options.onGrown((image?.length ?? 0) - (this.#image?.length ?? 0));
    this.#image = image;
  }

  /** Returns what was open. Replies that were cached are not valid any more. */
  #leave(): Opened | undefined {
    const opened = this.#opened;
    this.#revision += (opened?.store.plants.revision() ?? 0) + 1;
    this.#opened = undefined;
    return opened;
  }

  #findRevision(): number | undefined {
    const revision = this.#opened?.store.plants.revision();
    return revision === undefined ? undefined : this.#revision + revision;
  }
}

/** Its store knows no tokens, and so no names. */
function withName({ by, ...change }: Change): Change {
  return by === undefined ? change : { ...change, by: { ...by, name: callerName } };
}

function toChanges(use: Use, seed: Seed, listeners: ChangeListeners): ChangeLog {
  return {
    latest: () => use(({ changes }) => changes.latest()),
    oldestAfter: (position) =>
      use(async ({ changes }) => changes.oldestAfter(await toOwnPosition(position, seed, changes))),
    read: ({ after, ...page }) =>
      use(async ({ changes }) => {
        const own = after === undefined ? after : await toOwnPosition(after, seed, changes);
        const batch = await changes.read({ ...page, after: own });
        return { ...batch, changes: batch.changes.map(withName) };
      }),
    history: (id, limit, before) =>
      use(async ({ changes }) => {
        const own = before === undefined ? before : await toOwnPosition(before, seed, changes);
        return (await changes.history(id, limit, own)).map(withName);
      }),
    newest: (ids) => use(({ changes }) => changes.newest(ids)),
    ofGroup: (group, limit, after) => use(({ changes }) => changes.ofGroup(group, limit, after)),
    expiredIn: (group) => use(({ changes }) => changes.expiredIn(group)),
    changedIn: (group, ids) => use(({ changes }) => changes.changedIn(group, ids)),
    subscribe: (listener) => listeners.add(listener),
  };
}
