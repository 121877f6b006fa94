/** The caller's side of the reader thread: a bounded number of searches and snapshots. */
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { PlantPage, ListFilter, PlantQuery } from '../../../domain/store.ts';
import { Semaphore } from '../../../limits/semaphore.ts';
import { listInLooks, limitSearches } from '../../searches.ts';
import { looksMax } from '../tables/plant-reads.ts';
import { toPlants } from './plant-columns.ts';
import type { FromReader, ReaderData, ToReader } from './reader-thread.ts';
import { Thread } from './thread.ts';

/** Maximum number of open snapshots; each has a connection with its page cache. */
const snapshotsMax = 4;

export class Reader {
  readonly #thread: Thread<ToReader, FromReader>;
  readonly #searches = limitSearches();
  readonly #snapshots = new Semaphore(snapshotsMax);
  #lastSnapshot = 0;

  constructor(data: ReaderData) {
    this.#thread = new Thread('reader-thread', data);
  }

  get failed(): Promise<Error> {
    return this.#thread.failed;
  }

  /** @throws ServiceError `store_busy` if too many wait. */
  list(query: PlantQuery): Promise<PlantPage> {
    const list = async (rest: PlantQuery): Promise<PlantPage> => {
      const { next, ...columns } = await this.#thread.call({ list: rest });
      return { plants: toPlants(columns), next };
    };
    return this.#searches.run(() => listInLooks(list, query, looksMax));
  }

  /** See `PlantStore.snapshot`. Reads the next chunk while the caller handles the current one. */
  async *snapshot(filter: ListFilter): AsyncGenerator<readonly StoredPlant[]> {
    const free = this.#snapshots.take();
    const id = ++this.#lastSnapshot;
    try {
      await this.#thread.call({ open: id, filter });
      let next = this.#thread.call({ next: id });
      for (;;) {
        const chunk = toPlants(await next);
        if (chunk.length === 0) return;
        next = this.#thread.call({ next: id });
        // The await above handles its failure, one turn later.
        next.catch(() => undefined);
        yield chunk;
      }
    } finally {
      free();
      // If the thread is dead or the snapshot aborted, there is nothing to free.
      await this.#thread.call({ end: id }).catch(() => undefined);
    }
  }

  /** Aborts the snapshots that block the WAL; their iterators throw. */
  abortSnapshots(): void {
    if (this.#snapshots.isEmpty) return;
    // A dead thread has no snapshots.
    this.#thread.call('abort-snapshots').catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
