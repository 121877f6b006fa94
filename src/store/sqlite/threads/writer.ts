/** The caller's side of the writer thread: batches in, outcomes out, and the indexes brought up to date when a reader needs them. */
import { ServiceError } from '../../../domain/errors.ts';
import type { Refusal, Result, Write } from '../../write.ts';
import { packWrites } from './packed-writes.ts';
import { Thread, ThreadError } from './thread.ts';
import type { FromWriter, ToWriter, WriterData } from './writer-thread.ts';

export class Writer {
  readonly #thread: Thread<ToWriter, FromWriter>;
  #mustMerge = false;

  constructor(data: WriterData) {
    this.#thread = new Thread('writer-thread', data);
  }

  /** Resolves when the database is open. @throws Error with the reason when it cannot be. */
  async ready(): Promise<void> {
    this.#take(await this.#thread.next());
  }

  get failed(): Promise<Error> {
    return this.#thread.failed;
  }

  /** Told when a snapshot keeps the log from being copied. */
  onLogHeld(listener: () => void): void {
    this.#thread.onNotice = listener;
  }

  /** As `CommitBatch`. */
  async commit(writes: readonly Write[]): Promise<readonly (Result | Refusal)[]> {
    return this.#ask(packWrites(writes));
  }

  /**
   * Resolves when every plant that anybody has seen before the call is in the indexes; at once while the store is small.
   * @throws ServiceError as a write does, for it is one.
   */
  async mergeIndexes(): Promise<void> {
    // Asked for even if no entry is known to wait: the batch that is being committed may be seen already.
    if (this.#mustMerge) await this.#ask('merge');
  }

  close(): Promise<void> {
    return this.#thread.close('close');
  }

  async #ask(request: Exclude<ToWriter, 'close'>): Promise<FromWriter['outcomes']> {
    try {
      return this.#take(await this.#thread.call(request));
    } catch (cause) {
      if (cause instanceof ServiceError) throw cause;
      const code = cause instanceof ThreadError ? cause.code : undefined;
      throw new ServiceError(code === 'store_busy' || code === 'store_full' ? code : 'store_failed', { cause });
    }
  }

  #take({ outcomes, mustMerge }: FromWriter): FromWriter['outcomes'] {
    this.#mustMerge = mustMerge;
    return outcomes;
  }
}
