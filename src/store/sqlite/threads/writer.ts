/** The caller's side of the writer thread: batches in, outcomes out. */
import type { TrimBounds } from '../../change-trimmer.ts';
import type { Write } from '../../write.ts';
import { packWrites } from './packed-writes.ts';
import { Thread } from './thread.ts';
import type { FromWriter, ToWriter, WriterData, WriterNotice } from './writer-thread.ts';

export class Writer {
  readonly #thread: Thread<ToWriter, FromWriter, WriterNotice>;

  /**
   * @param onNotice called if readers block checkpoints, and with the progress of a rebuild of the
   * search index.
   */
  constructor(data: WriterData, onNotice: (notice: WriterNotice) => void) {
    this.#thread = new Thread('writer-thread', data);
    this.#thread.onNotice = onNotice;
  }

  /**
   * Resolves once the database is open and migrated.
   * @throws Error with the reason if it cannot.
   */
  async open(): Promise<void> {
    await this.#thread.call('open');
  }

  get failed(): Promise<Error> {
    return this.#thread.failed;
  }

  /** See `CommitBatch`. */
  commit(writes: readonly Write[]): Promise<FromWriter> {
    return this.#thread.call(packWrites(writes));
  }

  /** See `TrimStep`. */
  async trim(bounds: TrimBounds): Promise<boolean> {
    const [hasMore] = await this.#thread.call({ trim: bounds });
    return hasMore === true;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
