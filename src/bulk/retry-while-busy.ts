/** The work of a run, which may last for hours, while the store is busy: it waits, as long as it may. */
import { setTimeout } from 'node:timers/promises';
import { ServiceError } from '../domain/errors.ts';

/** Maximum time to wait for a busy store, in milliseconds. */
const busyWaitMs = 30_000;
/** Minimum and maximum delay between retries, in milliseconds. */
const retryMsMin = 10;
const retryMsMax = 500;

interface Conditions {
  /** Resolves to whether the token is still valid, or that cannot be read now. Never rejects. */
  readonly isAllowed: () => Promise<boolean>;
  /** Aborted if the client should send the rest later. */
  readonly shutdown: AbortSignal;
  /** Once aborted, a busy store is not waited for. Absent: it always is. */
  readonly mayBeGone?: AbortSignal;
}

/**
 * Does some work of the run, again while the store is busy, as long as the run may go on.
 * @throws ServiceError what the work throws; `shutting_down`; `token_invalid`.
 */
export type RetryWhileBusy = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function toRetryWhileBusy({ isAllowed, shutdown, mayBeGone }: Conditions): RetryWhileBusy {
  const isOver = mayBeGone === undefined ? shutdown : AbortSignal.any([shutdown, mayBeGone]);
  return async function retryWhileBusy(work) {
    const giveUpAt = performance.now() + busyWaitMs;
    for (let waitMs = retryMsMin; ; waitMs = Math.min(2 * waitMs, retryMsMax)) {
      if (shutdown.aborted) throw new ServiceError('shutting_down');
      // The run may take hours, in which its token can be revoked.
      if (!(await isAllowed())) throw new ServiceError('token_invalid');
      try {
        return await work();
      } catch (error) {
        const isBusy = error instanceof ServiceError && error.code === 'store_busy';
        if (!isBusy || mayBeGone?.aborted === true || performance.now() + waitMs > giveUpAt) throw error;
      }
      // Either signal ends the delay. The next turn throws `shutting_down`, or tries once more.
      await setTimeout(waitMs, undefined, { signal: isOver }).catch(() => undefined);
    }
  };
}
