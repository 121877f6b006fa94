/** The spaces of a sandbox, by key: a bounded number. The one idle for longest is dropped. */
import type { Store } from '../domain/store.ts';
import { followersMax } from '../feed/change-hub.ts';
import { type Space, toSpace } from '../http/space.ts';
import { Semaphore } from '../limits/semaphore.ts';
import type { Log } from '../observe/log.ts';
import { openSpaceStore, type SpaceStoreOptions } from './open-space-store.ts';
import type { Seed } from './seed.ts';

export interface SpaceLimits extends SpaceStoreOptions {
  /** Maximum followers of a space. */
  readonly followersMax: number;
  /** Time without a request after which a space is dropped. */
  readonly idleMs: number;
  /** Maximum memory of all spaces, in bytes. */
  readonly memoryBytesMax: number;
}

/** How often the sandbox looks for idle spaces, in milliseconds. */
const sweepMs = 5_000;
/** UTF-16 units of the replies that a space caches: 128 KiB of memory. */
const cacheLengthMax = 65_536;
/** Changes in memory for the followers of a space. */
const tailMax = 20;
/** Memory of a space besides its plants and their index: 610 KiB measured, and the replies. */
const overheadBytes = 786_432;

interface Entry {
  readonly store: Store;
  /** Ends the followers of the space. */
  readonly end: AbortController;
  readonly space: Space;
  usedAt: number;
}

export class Spaces {
  readonly #seed: Seed;
  readonly #limits: SpaceLimits;
  readonly #log: Pick<Log, 'error'>;
  readonly #now: () => number;
  readonly #countMax: number;
  /** The spaces, in the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  readonly #following = new Semaphore(followersMax);
  readonly #timer: NodeJS.Timeout;

  /** @param now milliseconds of a monotonic clock. */
  constructor(seed: Seed, limits: SpaceLimits, log: Pick<Log, 'error'>, now: () => number) {
    this.#seed = seed;
    this.#limits = limits;
    this.#log = log;
    this.#now = now;
    this.#countMax = Math.max(1, Math.floor(limits.memoryBytesMax / (limits.bytesMax + overheadBytes)));
    this.#timer = setInterval(() => this.sweep(), sweepMs).unref();
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
    const { followersMax: ofOneMax } = this.#limits;
    if (this.#entries.size >= this.#countMax) this.#dropOldest();
    const store = openSpaceStore(this.#seed, this.#limits);
    const end = new AbortController();
    const places = new Semaphore(ofOneMax, { ofOneMax, ofAll: this.#following });
    const space = toSpace(store, end.signal, { places, tailMax, cacheLengthMax });
    this.#entries.set(key, { store, end, space, usedAt: this.#now() });
    void store.failed.then((error) => {
      if (this.#entries.get(key)?.store !== store) return;
      this.#log.error({ error }, 'Lost the plants of a space, which begins again');
      this.#drop(key);
    });
    return space;
  }

  /**
   * From now on a space is as the seed again, with a new change log, and has no followers.
   * Requests that run in the old one get 503.
   */
  reset(key: string): void {
    if (!this.#entries.has(key)) return;
    this.#drop(key);
    this.add(key);
  }

  /** Drops all. */
  clear(): void {
    for (const key of this.#entries.keys()) this.#drop(key);
  }

  /** Drops what is idle. */
  sweep(): void {
    const before = this.#now() - this.#limits.idleMs;
    for (const [key, { usedAt, space }] of this.#entries) {
      if (usedAt > before) break;
      if (!space.hub.isFollowed) this.#drop(key);
    }
  }

  /** Ends all followers. */
  end(): void {
    for (const { end } of this.#entries.values()) end.abort();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#entries.values()].map(({ store }) => store.close()));
  }

  #dropOldest(): void {
    for (const key of this.#entries.keys()) {
      this.#drop(key);
      return;
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    entry?.end.abort();
    void entry?.store.close();
  }
}
