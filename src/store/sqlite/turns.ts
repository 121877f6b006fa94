/** Lets reads of milliseconds share a thread: at most one in a turn of the event loop. */
import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '../../domain/errors.ts';

export class Turns {
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** Resolves to the result of `work`. @throws ServiceError `shutting_down` once closed. */
  take<Result>(work: () => Result): Promise<Awaited<Result>> {
    const result = this.#last.then(async () => {
      await setImmediate();
      if (this.#isClosed) throw new ServiceError('shutting_down');
      return work();
    }) as Promise<Awaited<Result>>;
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** No work begins after it. */
  close(): void {
    this.#isClosed = true;
  }
}
