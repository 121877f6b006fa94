/**
 * Places for requests that take long: a bounded number, so that one token leaves half of them
 * to others.
 */
import { ServiceError } from '../../domain/errors.ts';

export class Places {
  readonly #max: number;
  readonly #ofToken = new Map<string, number>();
  #taken = 0;

  /** @param max an even number. */
  constructor(max: number) {
    this.#max = max;
  }

  /** @throws ServiceError `store_busy` if all are taken, or the token has half of them. */
  require(tokenId: string): void {
    if (this.#taken >= this.#max || (this.#ofToken.get(tokenId) ?? 0) >= this.#max / 2)
      throw new ServiceError('store_busy');
  }

  /** Returns a function that frees the place; call it once. @throws ServiceError like `require`. */
  take(tokenId: string): () => void {
    this.require(tokenId);
    this.#taken += 1;
    this.#ofToken.set(tokenId, (this.#ofToken.get(tokenId) ?? 0) + 1);
    return () => {
      this.#taken -= 1;
      const left = (this.#ofToken.get(tokenId) ?? 0) - 1;
      if (left > 0) this.#ofToken.set(tokenId, left);
      else this.#ofToken.delete(tokenId);
    };
  }
}
