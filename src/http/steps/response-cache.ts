/** Replies as they were sent last, until the next write: to read and print a hundred plants costs ten times what sending them does. */
import type { Reply } from '../wire/reply.ts';

/** Length of all replies together, in UTF-16 units, at which the cache is emptied: at most 8 MiB of memory. */
const lengthMax = 4_194_304;
/** A flat sum for the objects around a body, in the same unit: half of the 700 bytes that an empty page took when measured. */
const lengthOfFrame = 350;

export class ResponseCache {
  readonly #revision: () => number | undefined;
  readonly #replies = new Map<string, Reply>();
  #length = 0;
  #of: number | undefined;

  /** @param revision as `PlantStore.revision`; while it is undefined nothing is kept. */
  constructor(revision: () => number | undefined) {
    this.#revision = revision;
  }

  /** The reply of this key as `make` made it under the current revision, or makes it now. */
  async find(key: string, make: () => Promise<Reply>): Promise<Reply> {
    const revision = this.#revision();
    if (revision === undefined) return make();
    if (revision !== this.#of) this.#reset(revision);
    const known = this.#replies.get(key);
    if (known !== undefined) return known;
    const reply = await make();
    // Read while something changed, it may be of either revision.
    if (this.#revision() === revision) this.#keep(key, reply, revision);
    return reply;
  }

  #keep(key: string, reply: Reply, revision: number): void {
    const length = lengthOfFrame + key.length + (reply.headers['link']?.length ?? 0) + (reply.body?.length ?? 0);
    if (this.#length + length > lengthMax) this.#reset(revision);
    this.#length += length;
    this.#replies.set(key, reply);
  }

  #reset(revision: number): void {
    this.#replies.clear();
    this.#length = 0;
    this.#of = revision;
  }
}
