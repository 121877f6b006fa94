/**
 * The stores that are open, each of which takes memory: a bounded number. Whoever opens one more
 * waits until the one that was unused for longest is closed.
 */

export interface OpenStore {
  /** Whether no call of it runs. */
  isUnused(): boolean;
  /** Closes it and keeps what it holds. Call it only while it is unused. */
  evict(): Promise<void>;
}

export class OpenStores {
  readonly #max: number;
  readonly #now: () => number;
  /** When each was used, the last one last. */
  readonly #usedAt = new Map<OpenStore, number>();
  readonly #waiting: (() => void)[] = [];

  /** @param now milliseconds of a monotonic clock. */
  constructor(max: number, now: () => number) {
    this.#max = max;
    this.#now = now;
  }

  get count(): number {
    return this.#usedAt.size;
  }

  /** Resolves once there is room, and adds the store, which may be opened then. */
  async enter(store: OpenStore): Promise<void> {
    while (this.#usedAt.size >= this.#max) {
      const victim = this.#findUnused();
      if (victim === undefined) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      else await victim.evict();
    }
    this.touch(store);
  }

  /** Call when it is used. */
  touch(store: OpenStore): void {
    this.#usedAt.delete(store);
    this.#usedAt.set(store, this.#now());
  }

  /** Call when no call of it runs any more. */
  free(): void {
    this.#waiting.shift()?.();
  }

  /** Call once it is closed. */
  remove(store: OpenStore): void {
    this.#usedAt.delete(store);
    this.free();
  }

  /** Closes those that were not used for so long. */
  evictIdle(idleMs: number): void {
    const before = this.#now() - idleMs;
    for (const [store, usedAt] of this.#usedAt) {
      if (usedAt > before) return;
      if (store.isUnused()) void store.evict();
    }
  }

  #findUnused(): OpenStore | undefined {
    for (const store of this.#usedAt.keys()) if (store.isUnused()) return store;
    return undefined;
  }
}
