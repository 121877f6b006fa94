/** Bounds the searches of an instance, for every adapter: how many wait, how many run. */
import { ServiceError } from '../domain/errors.ts';

/** Maximum number that wait or run. On a large store one takes some hundred milliseconds. */
const searchesMax = 64;
/** A search that has waited for longer is not run any more, in milliseconds. */
export const waitMsMax = 5_000;

export class SearchQueue {
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #searches = 0;
  #running = 0;

  /** @param atOnce absent: whoever runs them takes them in turn. */
  constructor(atOnce = Infinity) {
    this.#atOnce = atOnce;
  }

  /**
   * Runs a search, in the order of the calls.
   * @throws ServiceError `store_busy` if too many wait, or this one waited too long.
   */
  async run<Result>(search: () => Promise<Result>): Promise<Result> {
    if (this.#searches >= searchesMax) throw new ServiceError('store_busy');
    this.#searches += 1;
    try {
      await this.#begin();
      try {
        return await search();
      } finally {
        this.#end();
      }
    } finally {
      this.#searches -= 1;
    }
  }

  async #begin(): Promise<void> {
    if (this.#running < this.#atOnce) {
      this.#running += 1;
      return;
    }
    const since = performance.now();
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (performance.now() - since <= waitMsMax) return;
    this.#end();
    throw new ServiceError('store_busy');
  }

  /** The next one has the place of the one that ends. */
  #end(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}
