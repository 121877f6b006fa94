/**
 * Bounds how many of something run at once: of all, and of one key. Who finds no place is refused,
 * or waits in a bounded queue, and is refused after some time.
 */
import { ServiceError } from '../domain/errors.ts';

export interface SemaphoreOptions {
  /** Maximum number of one key. Default: half, so that one leaves the other half to others. */
  readonly ofOneMax?: number;
  /** Another semaphore of which each caller also takes a place. Not for `run`. */
  readonly ofAll?: Semaphore | undefined;
  /** Maximum number that wait in `run`. Default: none. */
  readonly waitingMax?: number;
  /** Maximum time that one waits, in milliseconds. It is looked at when a place is free. */
  readonly patienceMs?: number;
}

export class Semaphore {
  readonly #max: number;
  readonly #options: Required<Omit<SemaphoreOptions, 'ofAll'>>;
  readonly #ofAll: Semaphore | undefined;
  readonly #ofKey = new Map<string, number>();
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  /** @param max number of places. */
  constructor(max: number, { ofAll, ...options }: SemaphoreOptions = {}) {
    this.#max = max;
    this.#ofAll = ofAll;
    this.#options = { ofOneMax: max / 2, waitingMax: 0, patienceMs: Infinity, ...options };
  }

  get isEmpty(): boolean {
    return this.#taken === 0;
  }

  /**
   * @param key see `Principal.limitKey`.
   * @throws ServiceError `store_busy` if all places are taken, or the key has its share.
   */
  require(key: string): void {
    if (!this.#isFree(key)) throw new ServiceError('store_busy');
  }

  /**
   * Returns a function that frees the place; call it once.
   * @param key absent: there are no shares.
   * @throws ServiceError like `require`.
   */
  take(key?: string): () => void {
    const free = this.tryTake(key);
    if (free === undefined) throw new ServiceError('store_busy');
    return free;
  }

  /** Like `take`, but returns undefined if there is no place. */
  tryTake(key?: string): (() => void) | undefined {
    if (!this.#isFree(key)) return undefined;
    const free = this.#ofAll?.take(key);
    this.#taken += 1;
    if (key !== undefined) this.#count(key, 1);
    return () => {
      free?.();
      if (key !== undefined) this.#count(key, -1);
      this.#free();
    };
  }

  /**
   * Runs work once there is a place, in the order of the calls.
   * @throws ServiceError `store_busy` if too many wait, or this one has waited for too long.
   */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const free = this.tryTake() ?? (await this.#wait());
    try {
      return await work();
    } finally {
      free();
    }
  }

  async #wait(): Promise<() => void> {
    if (this.#waiting.length >= this.#options.waitingMax) throw new ServiceError('store_busy');
    const since = performance.now();
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (performance.now() - since <= this.#options.patienceMs) return () => this.#free();
    this.#free();
    throw new ServiceError('store_busy');
  }

  /** Gives the place to the caller that has waited for longest. */
  #free(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken -= 1;
    else next();
  }

  #count(key: string, more: number): void {
    const count = (this.#ofKey.get(key) ?? 0) + more;
    if (count > 0) this.#ofKey.set(key, count);
    else this.#ofKey.delete(key);
  }

  #isFree(key: string | undefined): boolean {
    return (
      (this.#ofAll === undefined || this.#ofAll.#isFree(key)) &&
      this.#taken < this.#max &&
      (key === undefined || (this.#ofKey.get(key) ?? 0) < this.#options.ofOneMax)
    );
  }
}
