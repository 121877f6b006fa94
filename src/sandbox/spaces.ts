/** The spaces of a sandbox, by key: a bounded number. The longest unused are dropped. */
import { followersMax } from '../http/operations/change-hub.ts';
import { Places } from '../http/operations/places.ts';
import { type Space, toSpace } from '../http/space.ts';
import type { Log } from '../observe/log.ts';
import { EvictableStore } from './evictable-store.ts';
import { OpenStores } from './open-stores.ts';
import type { Seed } from './seed.ts';

export interface SpaceLimits {
  /** Bytes of one. */
  readonly bytesMax: number;
  /** Changes that one keeps. */
  readonly changesMax: number;
  /** Of one. */
  readonly followersMax: number;
  /** Time without a request after which one is dropped. */
  readonly idleMs: number;
  /** Number of spaces; beyond, the longest idle one is dropped. */
  readonly spacesMax: number;
  /** Bytes of all closed ones; beyond, likewise. */
  readonly imagesBytesMax: number;
  /** Number of those in use at once. */
  readonly openMax: number;
}

/** Time without a request after which a store is closed. */
export const closeMs = 60_000;
/** How often idle ones are looked for, in milliseconds. */
const sweepMs = 5_000;
/** UTF-16 units of the replies that one keeps: 128 KiB of memory. */
const cacheLengthMax = 65_536;
/** Changes in memory for the followers of one. */
const tailMax = 20;

interface Entry {
  readonly store: EvictableStore;
  /** Ends its followers. */
  readonly end: AbortController;
  readonly space: Space;
  usedAt: number;
}

export class Spaces {
  readonly #seed: Seed;
  readonly #limits: SpaceLimits;
  readonly #log: Pick<Log, 'error'>;
  readonly #now: () => number;
  /** The one that was used last is the last. */
  readonly #entries = new Map<string, Entry>();
  readonly #openStores: OpenStores;
  readonly #following = new Places(followersMax);
  readonly #timer: NodeJS.Timeout;
  #imagesBytes = 0;

  /** @param now milliseconds of a monotonic clock. */
  constructor(seed: Seed, limits: SpaceLimits, log: Pick<Log, 'error'>, now: () => number) {
    this.#seed = seed;
    this.#limits = limits;
    this.#log = log;
    this.#now = now;
    this.#openStores = new OpenStores(limits.openMax, now);
    this.#timer = setInterval(() => this.sweep(), sweepMs).unref();
  }

  /** What is there now, for tests and measurements. */
  get counts(): { readonly spaces: number; readonly open: number; readonly imagesBytes: number } {
    return { spaces: this.#entries.size, open: this.#openStores.count, imagesBytes: this.#imagesBytes };
  }

  /** Returns undefined if the space is not made yet: it is as the seed. */
  find(key: string): Space | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.usedAt = this.#now();
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.space;
  }

  /** Makes a space that is not there. */
  add(key: string): Space {
    const { bytesMax, changesMax, spacesMax } = this.#limits;
    const store = new EvictableStore({
      seed: this.#seed,
      openStores: this.#openStores,
      bytesMax,
      changesMax,
      onGrown: (bytes) => {
        // A request may still use a space that was dropped.
        if (this.#entries.get(key)?.store === store) this.#imagesBytes += bytes;
      },
      onLost: (error) => this.#log.error({ error }, 'Lost the plants of a space, which begins again'),
    });
    if (this.#entries.size >= spacesMax) this.#dropOldest();
    return this.#set(key, store);
  }

  /** From now on a space is as the seed again, and has no followers. */
  reset(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.store.reset();
    entry.end.abort();
    // A request that has found the space already may write to it.
    this.#set(key, entry.store);
  }

  /** Closes and drops what is idle. */
  sweep(): void {
    this.#openStores.evictIdle(closeMs);
    const before = this.#now() - this.#limits.idleMs;
    for (const [key, { usedAt, space }] of this.#entries) {
      if (usedAt > before) break;
      if (!space.hub.isFollowed) this.#drop(key);
    }
    while (this.#imagesBytes > this.#limits.imagesBytesMax) this.#dropOldest();
  }

  /** Ends all followers. */
  end(): void {
    for (const { end } of this.#entries.values()) end.abort();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#entries.values()].map(({ store }) => store.close()));
  }

  #set(key: string, store: EvictableStore): Space {
    const end = new AbortController();
    const places = new Places(this.#limits.followersMax, {
      ofOneMax: this.#limits.followersMax,
      ofAll: this.#following,
    });
    const space = toSpace(store, end.signal, { places, tailMax, cacheLengthMax });
    this.#entries.delete(key);
    this.#entries.set(key, { store, end, space, usedAt: this.#now() });
    return space;
  }

  #dropOldest(): void {
    for (const key of this.#entries.keys()) {
      this.#drop(key);
      return;
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    entry?.store.reset();
    entry?.end.abort();
    this.#entries.delete(key);
  }
}
