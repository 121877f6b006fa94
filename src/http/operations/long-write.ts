/**
 * What an import and a batch have in common, which write for long: their work waits while the store
 * is busy, a report counts what became of each item, and the error that ends one tells its progress.
 */
import { setTimeout } from 'node:timers/promises';
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';

/** Maximum time to wait for a busy store, in milliseconds. */
const busyWaitMs = 30_000;
/** Minimum and maximum delay between retries, in milliseconds. */
const retryMsMin = 10;
const retryMsMax = 500;
/** Maximum number of refused items to list; all are counted. */
const errorsMax = 1_000;

interface Conditions {
  /** As in `Call`. */
  readonly isAllowed: () => Promise<boolean>;
  /** Aborted if the client should send the rest later. */
  readonly shutdown: AbortSignal;
  /** Once aborted, a busy store is not waited for. Absent: it always is. */
  readonly mayBeGone?: AbortSignal;
}

/**
 * Does some work of the request, again while the store is busy, as long as the request may go on.
 * @throws ServiceError what the work throws; `shutting_down`; `token_invalid`.
 */
export type RetryWhileBusy = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function toRetryWhileBusy({ isAllowed, shutdown, mayBeGone }: Conditions): RetryWhileBusy {
  const isOver = mayBeGone === undefined ? shutdown : AbortSignal.any([shutdown, mayBeGone]);
  return async function retryWhileBusy(work) {
    const giveUpAt = performance.now() + busyWaitMs;
    for (let waitMs = retryMsMin; ; waitMs = Math.min(2 * waitMs, retryMsMax)) {
      if (shutdown.aborted) throw new ServiceError('shutting_down');
      // The request may take hours, in which its token can be revoked.
      if (!(await isAllowed())) throw new ServiceError('token_invalid');
      try {
        return await work();
      } catch (error) {
        const isBusy = error instanceof ServiceError && error.code === 'store_busy';
        if (!isBusy || mayBeGone?.aborted === true || performance.now() + waitMs > giveUpAt) throw error;
      }
      // Both end the delay; the next turn reports it.
      await setTimeout(waitMs, undefined, { signal: isOver }).catch(() => undefined);
    }
  };
}

/** Counts what became of the items, and lists those that were refused. */
export class Tally<Outcome extends string> {
  readonly #counts: Map<Outcome | 'refused', number>;
  readonly #errors: object[] = [];

  /** @param outcomes in the order of the report. */
  constructor(outcomes: readonly Outcome[]) {
    this.#counts = new Map([...outcomes, 'refused' as const].map((outcome) => [outcome, 0]));
  }

  get errors(): readonly object[] {
    return this.#errors;
  }

  count(outcome: Outcome | 'refused'): number {
    return this.#counts.get(outcome) ?? 0;
  }

  add(outcome: Outcome | 'refused'): void {
    this.#counts.set(outcome, this.count(outcome) + 1);
  }

  /** @param item names it in the list. */
  refuse(item: { readonly line: number } | { readonly id: bigint }, { number, message }: ServiceError): void {
    this.add('refused');
    if (this.#errors.length < errorsMax) this.#errors.push({ ...item, error: number, message });
  }

  /** The members of a report that are numbers. */
  toCounts(): object {
    const read = this.#counts.values().reduce((sum, count) => sum + count, 0);
    return { read, ...Object.fromEntries(this.#counts) };
  }
}

/** Errors of a request that has written nothing, and would not if it was sent again. */
const withoutProgress: ReadonlySet<ErrorCode> = new Set(['csv_header_invalid', 'group_taken', 'group_unknown']);

/** Returns the same error with the progress. @param toProgress what is done, and how to finish it. */
export function withProgress(error: unknown, toProgress: (code: ErrorCode) => string): unknown {
  if (!(error instanceof ServiceError) || withoutProgress.has(error.code)) return error;
  return new ServiceError(error.code, { detail: toProgress(error.code), cause: error.cause ?? error });
}
