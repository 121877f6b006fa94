/** Listeners for commits. Watches other instances only while there are listeners. */

/** Calls `listener` when another instance may have written; returns a function that ends it. */
export type Watch = (listener: () => void) => () => void;

export class ChangeListeners {
  readonly #listeners = new Set<() => void>();
  readonly #watch: Watch | undefined;
  #endWatch: (() => void) | undefined;

  /** @param watch absent if there is no other instance. */
  constructor(watch: Watch | undefined) {
    this.#watch = watch;
  }

  /** Returns a function that removes the listener. */
  add(listener: () => void): () => void {
    // The same function may be added twice.
    const own = (): void => listener();
    this.#listeners.add(own);
    this.#endWatch ??= this.#watch?.(() => this.call());
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size > 0) return;
      this.#endWatch?.();
      this.#endWatch = undefined;
    };
  }

  call(): void {
    for (const listener of this.#listeners) listener();
  }
}
