/** The caller's side of the reader thread: searches, and snapshots as async iterables, both bounded in number. */
import { ServiceError } from '../../../domain/errors.ts';
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { PlantFilter, PlantPage } from '../../../domain/store.ts';
import { toPlants } from './plant-columns.ts';
import type { FromReader, ReaderData, ToReader } from './reader-thread.ts';
import { Thread } from './thread.ts';

/** Most snapshots open at once; each holds a connection and its cache of pages. */
const snapshotsMax = 4;
/** Most searches that wait or are read: each takes from a fraction of a millisecond to some hundred on a large store. */
const searchesMax = 64;

export class Reader {
  readonly #thread: Thread<ToReader, FromReader>;
  #searches = 0;
  #snapshots = 0;
  #lastSnapshot = 0;

  constructor(data: ReaderData) {
    this.#thread = new Thread('reader-thread', data);
  }

  get failed(): Promise<Error> {
    return this.#thread.failed;
  }

  /** @throws ServiceError `store_busy` when too many wait. */
  async list(page: PlantPage): Promise<StoredPlant[]> {
    if (this.#searches >= searchesMax) throw new ServiceError('store_busy');
    this.#searches += 1;
    try {
      return toPlants(await this.#thread.call({ list: page }));
    } finally {
      this.#searches -= 1;
    }
  }

  /** As the port promises. The next batch is read while the caller works on the last. */
  async *snapshot(filter: PlantFilter): AsyncGenerator<readonly StoredPlant[]> {
    if (this.#snapshots >= snapshotsMax) throw new ServiceError('store_busy');
    this.#snapshots += 1;
    const id = ++this.#lastSnapshot;
    try {
      await this.#thread.call({ open: id, filter });
      let next = this.#thread.call({ next: id });
      for (;;) {
        const batch = toPlants(await next);
        if (batch.length === 0) return;
        next = this.#thread.call({ next: id });
        // Its failure is handled by the await above, one turn later.
        next.catch(() => undefined);
        yield batch;
      }
    } finally {
      this.#snapshots -= 1;
      // The thread may be dead, or the snapshot aborted: then there is nothing left to free.
      await this.#thread.call({ end: id }).catch(() => undefined);
    }
  }

  /** Ends the snapshots that hold the log; their iterators throw. */
  abortSnapshots(): void {
    // A thread that is dead has no snapshots.
    this.#thread.call('abort-snapshots').catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
