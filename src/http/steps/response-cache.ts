/** Caches replies until the next write: to make a page costs ten times what sending it does. */
import type { PlantStore } from '../../domain/store.ts';
import type { Reply } from '../wire/reply.ts';

/** In UTF-16 units: at most 8 MiB of memory. */
const usualLengthMax = 4_194_304;
/** Overhead of the objects around a body, in the same unit: half of 700 bytes (measured). */
const lengthOfFrame = 350;
/** Overhead of a key that was asked for once: half of 50 bytes (measured). */
const lengthOfAsked = 25;

export class ResponseCache {
  readonly #plants: Pick<PlantStore, 'revision'>;
  readonly #lengthMax: number;
  readonly #replies = new Map<string, Reply>();
  /** Keys that were asked for once. */
  readonly #asked = new Set<string>();
  #length = 0;
  #of: number | undefined;

  /**
   * @param plants nothing is cached while its revision is undefined.
   * @param lengthMax total length at which the cache is cleared, in UTF-16 units.
   */
  constructor(plants: Pick<PlantStore, 'revision'>, lengthMax = usualLengthMax) {
    this.#plants = plants;
    this.#lengthMax = lengthMax;
  }

  /**
   * Returns the cached reply of this key and revision, or calls `make`; no promise if it is cached.
   * Keeps what is asked for twice: most targets, such as the pages of a reader of all, are not.
   */
  getOrMake(key: string, make: () => Reply | Promise<Reply>): Reply | Promise<Reply> {
    const revision = this.#plants.revision();
    if (revision === undefined) return make();
    if (revision !== this.#of) this.#reset(revision);
    const cached = this.#replies.get(key);
    if (cached !== undefined) return cached;
    if (this.#asked.delete(key)) return this.#make(key, revision, make);
    this.#count(lengthOfAsked + key.length, revision);
    this.#asked.add(key);
    return make();
  }

  async #make(key: string, revision: number, make: () => Reply | Promise<Reply>): Promise<Reply> {
    const reply = await make();
    // If anything changed during the read, the revision is ambiguous.
    if (this.#plants.revision() === revision) this.#keep(key, reply, revision);
    return reply;
  }

  #keep(key: string, reply: Reply, revision: number): void {
    const { headers, body } = reply;
    this.#count(lengthOfFrame + key.length + (headers['link']?.length ?? 0) + (body?.length ?? 0), revision);
    this.#replies.set(key, reply);
  }

  #count(length: number, revision: number): void {
    if (this.#length + length > this.#lengthMax) this.#reset(revision);
    this.#length += length;
  }

  #reset(revision: number): void {
    this.#replies.clear();
    this.#asked.clear();
    this.#length = 0;
    this.#of = revision;
  }
}
