/** Makes errors of the service from what SQLite says of a read, and reports damage and reads that fail. */
import { ServiceError } from '../../domain/errors.ts';
import type { StoreAdapter } from '../queued-store.ts';
import type { StoreObserver } from '../store-observer.ts';
import { toErrorCode, toReason } from './error-code.ts';

export interface GuardedReads {
  /** Runs one read. @throws ServiceError */
  readonly read: NonNullable<StoreAdapter['read']>;
  /** Resolves once a read finds damage, or `onDamage` is called. */
  readonly damaged: Promise<Error>;
  readonly onDamage: (error: Error) => void;
}

/**
 * Runs reads, and says when one finds the database damaged, or not readable now.
 * @param requirePresence throws while the database is not at its path: reads of the open file succeed then, too.
 */
export function guardReads(
  observer: StoreObserver | undefined,
  requirePresence: () => void = () => undefined,
): GuardedReads {
  const { promise: damaged, resolve: onDamage } = Promise.withResolvers<Error>();
  let isFailing = false;
  const end = (): void => {
    try {
      requirePresence();
    } catch {
      return;
    }
    isFailing = false;
    observer?.onRead(undefined);
  };
  const read: GuardedReads['read'] = async (work) => {
    try {
      const started = work();
      // Most have their result at once.
      const result = started instanceof Promise ? await started : started;
      if (isFailing) end();
      return result;
    } catch (cause) {
      const error = toReadError(cause);
      if (error.code === 'store_failed') onDamage(error);
      if (error.code === 'store_unavailable') {
        isFailing = true;
        observer?.onRead({ code: error.code, reason: toReason(cause) });
      }
      throw error;
    }
  };
  return { read, damaged, onDamage };
}

/** Like `toErrorCode`, for a read: only damage fails the store. */
function toReadError(cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause;
  const code = toErrorCode(cause);
  return new ServiceError(code === 'store_full' ? 'store_unavailable' : code, { cause });
}
