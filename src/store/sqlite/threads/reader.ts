/** The caller's side of the reader thread: pages, and snapshots as async iterables, bounded in number. */
import { ServiceError } from '../../../domain/errors.ts';
import type { StoredPlant } from '../../../domain/schemas.ts';
import type { PlantFilter, PlantPage } from '../../../domain/store.ts';
import { toPlants } from './plant-columns.ts';
import type { FromReader, ToReader } from './reader-thread.ts';
import { Thread } from './thread.ts';

/** Most snapshots open at once; each holds a connection and its cache of pages. */
const snapshotsMax = 4;

export class Reader {
  readonly #thread: Thread<ToReader, FromReader>;
  #snapshots = 0;
  #lastSnapshot = 0;

  constructor(path: string) {
    this.#thread = new Thread('reader-thread', path);
  }

  get failed(): Promise<Error> {
    return this.#thread.failed;
  }

  async list(page: PlantPage): Promise<StoredPlant[]> {
    return toPlants(await this.#thread.call({ list: page }));
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
        // Its failure is met by the await above, one turn later.
        next.catch(() => undefined);
        yield batch;
      }
    } finally {
      this.#snapshots -= 1;
      // The thread may be dead, or the snapshot cut: then there is nothing left to free.
      await this.#thread.call({ end: id }).catch(() => undefined);
    }
  }

  /** Ends every open snapshot; their iterators throw. */
  cutSnapshots(): void {
    this.#thread.call('cut').catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#thread.close('close');
  }
}
