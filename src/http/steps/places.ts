/** Places for requests that take long: a bounded number, and fewer of one caller. */
import { ServiceError } from '../../domain/errors.ts';

export interface PlacesOptions {
  /** Maximum number of one caller. Default: half, so that one leaves the other half to others. */
  readonly ofOneMax?: number;
  /** Further places, of which each of these takes one. */
  readonly ofAll?: Places | undefined;
}

export class Places {
  readonly #max: number;
  readonly #ofOneMax: number;
  readonly #ofAll: Places | undefined;
  readonly #ofKey = new Map<string, number>();
  #taken = 0;

  constructor(max: number, { ofOneMax = max / 2, ofAll }: PlacesOptions = {}) {
    this.#max = max;
    this.#ofOneMax = ofOneMax;
    this.#ofAll = ofAll;
  }

  /**
   * @param key see `Principal.limitKey`.
   * @throws ServiceError `store_busy` if all are taken, or the key has its share.
   */
  require(key: string): void {
    if (!this.#isFree(key)) throw new ServiceError('store_busy');
  }

  /** Returns a function that frees the place; call it once. @throws ServiceError like `require`. */
  take(key: string): () => void {
    const free = this.tryTake(key);
    if (free === undefined) throw new ServiceError('store_busy');
    return free;
  }

  /** Like `take`, but returns undefined if there is no place. */
  tryTake(key: string): (() => void) | undefined {
    if (!this.#isFree(key)) return undefined;
    const free = this.#ofAll?.take(key);
    this.#taken += 1;
    this.#ofKey.set(key, (this.#ofKey.get(key) ?? 0) + 1);
    return () => {
      free?.();
      this.#taken -= 1;
      const left = (this.#ofKey.get(key) ?? 0) - 1;
      if (left > 0) this.#ofKey.set(key, left);
      else this.#ofKey.delete(key);
    };
  }

  #isFree(key: string): boolean {
    return (
      (this.#ofAll === undefined || this.#ofAll.#isFree(key)) &&
      this.#taken < this.#max &&
      (this.#ofKey.get(key) ?? 0) < this.#ofOneMax
    );
  }
}
