/** Pages and plants as they were sent last, for as long as nothing has changed: reading and printing a hundred plants costs ten times what sending them does. */
import type { Answer } from '../wire/reply.ts';

/** Length of all pages together, in UTF-16 units, at which the cache starts anew: at most 8 MiB of memory. */
const lengthMax = 4_194_304;
/** A flat sum for the objects around a body, in the same unit: half of the 700 bytes that an empty page took when measured. */
const lengthOfFrame = 350;

export class PageCache {
  readonly #revision: () => number | undefined;
  readonly #pages = new Map<string, Answer>();
  #length = 0;
  #of: number | undefined;

  /** @param revision as `PlantStore.revision`; while it is undefined nothing is kept. */
  constructor(revision: () => number | undefined) {
    this.#revision = revision;
  }

  /** The page of this key as `make` made it under the present revision, or makes it now. */
  async find(key: string, make: () => Promise<Answer>): Promise<Answer> {
    const revision = this.#revision();
    if (revision === undefined) return make();
    if (revision !== this.#of) this.#startAnew(revision);
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const page = await make();
    // Read while something changed, it may be of either revision.
    if (this.#revision() === revision) this.#keep(key, page, revision);
    return page;
  }

  #keep(key: string, page: Answer, revision: number): void {
    const length = lengthOfFrame + key.length + (page.headers['link']?.length ?? 0) + (page.body?.length ?? 0);
    if (this.#length + length > lengthMax) this.#startAnew(revision);
    this.#length += length;
    this.#pages.set(key, page);
  }

  #startAnew(revision: number): void {
    this.#pages.clear();
    this.#length = 0;
    this.#of = revision;
  }
}
