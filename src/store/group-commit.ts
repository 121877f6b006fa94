/**
 * Group commit: one batch collects while others commit. Single writes go before the steps of long
 * requests, of which each batch has one or more. Bounded; knows no database.
 */
import { ServiceError } from '../domain/errors.ts';
import { type Keyed, KeyedQueue } from './keyed-queue.ts';
import { StepSize } from './step-size.ts';
import type { BatchReport } from './store-observer.ts';
import { bytesOf, isRefusal, keysOf, type Refusal, type Result, toServiceError, type Write } from './write.ts';

export interface QueueLimits {
  /** Maximum number of writes that wait or are being committed. */
  readonly writesMax: number;
  /** Maximum memory of these writes in bytes, by `bytesOf`. */
  readonly bytesMax: number;
}

/**
 * Commits a batch in order, as one transaction. Resolves to one result per write once it is on
 * disk.
 * @throws ServiceError if nothing was committed (`store_full`), or that is unknown
 * (`store_failed`).
 */
export type CommitBatch = (writes: readonly Write[]) => Promise<readonly (Result | Refusal)[]>;

/** When batches start. */
export interface Pacing {
  /** Maximum number of concurrent batches; of writes of the same id, one at a time. */
  readonly batchesMax: number;
  /** Called for each batch before its writes are settled. */
  readonly onBatch?: (report: BatchReport) => void;
}

/**
 * Maximum writes per commit: bounds how long one commit delays the next. Larger batches gain
 * nothing: from about 200 rows the fsync is a small part (measured: 80 us of 600 us).
 */
const batchWritesMax = 512;
/**
 * Number of waiting writes at which an idle queue commits at once. Without it all clients fall into
 * step, and disk and sockets take turns (measured with 64 connections: 10 % more creates per
 * second; main thread 81 % busy instead of 71 %).
 */
const eagerWritesMin = 16;
/**
 * Writes, or age of the oldest write in milliseconds, at which a batch starts beside others. Each
 * batch costs the database as much as 25 rows more. With 64 connections, two batches of 32 take
 * turns; a shorter wait splits them (measured on a busy machine: 19 rows a batch, 13 after 1 ms).
 */
const companionWritesMin = 32;
const companionWaitMs = 3;
/** How long `close` commits waiting writes, in milliseconds. Longer means a slow disk. */
const closeMsMax = 2_000;
/** Maximum bytes per commit, of single writes and of steps, unless the first one alone is larger. */
const batchBytesMax = 1_048_576;

interface Waiting extends Keyed {
  readonly write: Write;
  readonly since: number;
  readonly resolve: (result: Result | Refusal) => void;
  readonly reject: (error: Error) => void;
}

export class GroupCommit {
  readonly #commit: CommitBatch;
  readonly #limits: QueueLimits;
  readonly #pacing: Pacing;
  readonly #waiting: KeyedQueue<Waiting>;
  readonly #stepSize = new StepSize();
  #batches = 0;
  #hasImmediate = false;
  #timer: NodeJS.Timeout | undefined;
  #writes = 0;
  #bytes = 0;
  #closed: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(commit: CommitBatch, limits: QueueLimits, pacing: Pacing = { batchesMax: 1 }) {
    this.#commit = commit;
    this.#limits = limits;
    this.#pacing = pacing;
    this.#waiting = new KeyedQueue(pacing.batchesMax > 1);
  }

  /** Returns whether another write would be refused with `store_busy`. */
  isFull(): boolean {
    return this.#writes >= this.#limits.writesMax || this.#bytes >= this.#limits.bytesMax;
  }

  /** How many rows a step should have now: those of a commit, fewer while single writes come. */
  get stepRows(): number {
    return this.#stepSize.rows;
  }

  /** Writes that wait or are being committed, and their bytes. */
  get load(): { readonly writes: number; readonly bytes: number } {
    return { writes: this.#writes, bytes: this.#bytes };
  }

  /**
   * Resolves to the result of the write once its batch is on disk.
   * @throws ServiceError `store_busy` if the queue is full, `shutting_down` after `close`, the code
   * of a refusal, or what `commit` throws.
   */
  submit<Kind extends Write>(write: Kind): Promise<Result<Kind>> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) return reject(new ServiceError('shutting_down'));
      if (this.isFull()) return reject(new ServiceError('store_busy'));
      const bytes = bytesOf(write);
      const since = performance.now();
      this.#stepSize.note(write, since);
      this.#writes += 1;
      this.#bytes += bytes;
      this.#waiting.add({
        write,
        bytes,
        keys: keysOf(write),
        step: 'rows' in write ? { source: write.by ?? '', rows: write.rows.length } : undefined,
        since,
        resolve: (result) => {
          if (isRefusal(result)) reject(toServiceError(result));
          // The adapter returns the result type of each write's kind.
          else resolve(result as Result<Kind>);
        },
        reject,
      });
      this.#dispatch(false);
    });
  }

  /**
   * Refuses new writes, and after `closeMsMax` those that still wait; resolves once all accepted
   * writes are settled.
   */
  close(): Promise<void> {
    this.#closed ??= this.#settleAll();
    return this.#closed;
  }

  async #settleAll(): Promise<void> {
    if (this.#writes === 0) return;
    const late = setTimeout(() => this.#refuseWaiting(), closeMsMax);
    await new Promise<void>((resolve) => (this.#onIdle = resolve));
    clearTimeout(late);
  }

  #refuseWaiting(): void {
    const waiting = this.#waiting.takeAll();
    for (const { bytes } of waiting) this.#bytes -= bytes;
    this.#writes -= waiting.length;
    for (const { reject } of waiting) reject(new ServiceError('shutting_down'));
    if (this.#writes === 0) this.#onIdle?.();
  }

  /** Starts the batches that are due; schedules another look at the rest. */
  #dispatch(isTurnOver: boolean): void {
    while (this.#waiting.length > 0 && this.#batches < this.#pacing.batchesMax) {
      const isDue =
        this.#batches === 0
          ? isTurnOver || this.#waiting.length >= eagerWritesMin
          : this.#waiting.length >= companionWritesMin || this.#oldestAgeMs() >= companionWaitMs;
      if (!isDue) {
        this.#lookAgain();
        return;
      }
      this.#start(this.#waiting.take({ countMax: batchWritesMax, rowsMax: this.stepRows, bytesMax: batchBytesMax }));
    }
  }

  /** An idle queue waits only for other writes of the same event loop turn. */
  #lookAgain(): void {
    if (this.#batches > 0) {
      this.#timer ??= setTimeout(
        () => {
          this.#timer = undefined;
          this.#dispatch(false);
        },
        Math.max(0, companionWaitMs - this.#oldestAgeMs()),
      );
    } else if (!this.#hasImmediate) {
      this.#hasImmediate = true;
      setImmediate(() => {
        this.#hasImmediate = false;
        this.#dispatch(true);
      });
    }
  }

  #oldestAgeMs(): number {
    return performance.now() - (this.#waiting.oldest?.since ?? Infinity);
  }

  #start(batch: readonly Waiting[]): void {
    this.#batches += 1;
    const begunAt = performance.now();
    const end = (failure: BatchReport['failure'], settle: (waiting: Waiting, index: number) => void): void => {
      this.#pacing.onBatch?.({
        writes: batch.length,
        bytes: batch.reduce((sum, { bytes }) => sum + bytes, 0),
        waitedMs: begunAt - batch.reduce((oldest, { since }) => Math.min(oldest, since), begunAt),
        committedMs: performance.now() - begunAt,
        ...(failure === undefined ? {} : { failure }),
      });
      this.#settle(batch, settle);
    };
    this.#commit(batch.map(({ write }) => write)).then(
      (results) => {
        end(undefined, (waiting, index) => {
          const result = results[index];
          if (result === undefined) waiting.reject(new ServiceError('store_failed'));
          else waiting.resolve(result);
        });
      },
      (cause: unknown) => {
        const isKnown = cause instanceof ServiceError;
        const error = {
          code: isKnown ? cause.code : 'store_failed',
          cause: isKnown ? (cause.cause ?? cause) : cause,
          detail: isKnown ? cause.detail : undefined,
        } as const;
        // Each write gets its own error, with its own stack.
        end(error, (waiting) => waiting.reject(new ServiceError(error.code, error)));
      },
    );
  }

  /** Starts the next commit before sending these results: the disk never waits for sockets. */
  #settle(batch: readonly Waiting[], settle: (waiting: Waiting, index: number) => void): void {
    for (const { bytes } of batch) this.#bytes -= bytes;
    this.#writes -= batch.length;
    this.#batches -= 1;
    this.#waiting.release(batch);
    this.#dispatch(true);
    if (this.#writes === 0) this.#onIdle?.();
    batch.forEach(settle);
  }
}
