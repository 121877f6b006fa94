/** The spaces of a sandbox, by key. */
import { toSpace, type Space } from '../http/space.ts';
import { openMemoryStore } from '../store/sqlite/open-memory-store.ts';

const limits = { writesMax: 100, bytesMax: 1_048_576 };

export class Spaces {
  readonly #shutdown: AbortSignal;
  readonly #seed: Space;
  readonly #spaces = new Map<string, Space>();

  constructor(shutdown: AbortSignal) {
    this.#shutdown = shutdown;
    this.#seed = toSpace(openMemoryStore({ limits }), shutdown);
  }

  /** @param key undefined: of an operation without a token. */
  find(key: string | undefined): Space {
    if (key === undefined) return this.#seed;
    const known = this.#spaces.get(key) ?? toSpace(openMemoryStore({ limits }), this.#shutdown);
    this.#spaces.set(key, known);
    return known;
  }

  async close(): Promise<void> {
    await Promise.all([this.#seed, ...this.#spaces.values()].map(({ store }) => store.close()));
  }
}
