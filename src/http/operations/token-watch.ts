/** Ends replies that take long when their token is revoked or expires. Checks each token once, however many replies it has. */

/** How often, in milliseconds: a revocation takes effect within a second, with the cache of tokens. */
const checkMs = 500;

interface Watched {
  readonly isAllowed: () => Promise<boolean>;
  readonly listeners: Set<() => void>;
}

export class TokenWatch {
  readonly #tokens = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;

  /** Calls the listener once the token is not valid any more. Returns a function that ends it. */
  add(tokenId: string, isAllowed: Watched['isAllowed'], listener: () => void): () => void {
    const watched = this.#tokens.get(tokenId) ?? { isAllowed, listeners: new Set() };
    this.#tokens.set(tokenId, watched);
    // The same function may be added twice.
    const own = (): void => listener();
    watched.listeners.add(own);
    this.#timer ??= setInterval(() => {
      for (const each of this.#tokens.values()) void check(each);
    }, checkMs);
    return () => {
      watched.listeners.delete(own);
      if (watched.listeners.size === 0) this.#tokens.delete(tokenId);
      if (this.#tokens.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }
}

async function check({ isAllowed, listeners }: Watched): Promise<void> {
  if (await isAllowed()) return;
  for (const listener of [...listeners]) listener();
}
