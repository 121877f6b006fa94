/**
 * Many writes, one commit: while one batch is being committed the next collects. Knows no database; an adapter hands in `commit`.
 * The queue is bounded by count and by bytes.
 */
import { ServiceError } from '../domain/errors.ts';
import { bytesOf, isRefusal, type Refusal, type Result, type Results, type Write } from './write.ts';

export interface QueueLimits {
  /** Most writes that wait or are being committed. */
  readonly writesMax: number;
  /** Most bytes of memory that these may hold, as `bytesOf` counts them. */
  readonly bytesMax: number;
}

/**
 * Commits a batch in order, as one transaction, and resolves to one outcome a write once all of it is on disk.
 * @throws ServiceError when nothing of the batch was committed (`store_full`), or when that is unknown (`store_failed`).
 */
export type CommitBatch = (writes: readonly Write[]) => Promise<readonly (Result | Refusal)[]>;

/**
 * Most writes in one commit. Bounds the time for which a commit holds up those behind it; a larger batch saves nothing, since from
 * about 200 rows on the fsync is a small part of a commit (measured: 80 us of 600 us).
 */
const batchWritesMax = 512;
/**
 * Writes from which on an idle queue commits at once. Without it all clients fall into step, and the disk and the sockets work by turns
 * (measured with 64 connections: a tenth more creates a second; main thread busy 81 % of the time, not 71).
 */
const eagerWritesMin = 16;
/** Most bytes in one commit, unless its first write alone is larger: a few chunks of an import. */
const batchBytesMax = 1_048_576;

interface Waiting {
  readonly write: Write;
  readonly bytes: number;
  readonly resolve: (outcome: Result | Refusal) => void;
  readonly reject: (error: Error) => void;
}

export class GroupCommit {
  readonly #commit: CommitBatch;
  readonly #limits: QueueLimits;
  #waiting: Waiting[] = [];
  #isCommitting = false;
  #writes = 0;
  #bytes = 0;
  #closed: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(commit: CommitBatch, limits: QueueLimits) {
    this.#commit = commit;
    this.#limits = limits;
  }

  /** Whether a further write would be refused with `store_busy`. */
  isFull(): boolean {
    return this.#writes >= this.#limits.writesMax || this.#bytes >= this.#limits.bytesMax;
  }

  /**
   * Resolves to the outcome of one write once its batch is on disk.
   * @throws ServiceError `store_busy` when the queue is full, `shutting_down` after `close`, a refusal's own code, or what `commit` throws.
   */
  submit<Kind extends Write>(write: Kind): Promise<Results[Kind['kind']]> {
    return new Promise((resolve, reject) => {
      if (this.#closed !== undefined) return reject(new ServiceError('shutting_down'));
      if (this.isFull()) return reject(new ServiceError('store_busy'));
      const bytes = bytesOf(write);
      this.#writes += 1;
      this.#bytes += bytes;
      this.#waiting.push({
        write,
        bytes,
        resolve: (outcome) => {
          if (isRefusal(outcome)) reject(toError(outcome));
          // The adapter gives each kind of write its own kind of result.
          else resolve(outcome as Results[Kind['kind']]);
        },
        reject,
      });
      this.#start();
    });
  }

  /** Refuses what comes from now on and resolves when everything accepted before is settled. */
  close(): Promise<void> {
    const isBusy = this.#isCommitting || this.#waiting.length > 0;
    this.#closed ??= isBusy ? new Promise((resolve) => (this.#onIdle = resolve)) : Promise.resolve();
    return this.#closed;
  }

  /** Wakes an idle queue: few writes wait for others of the same turn of the event loop, many leave while the turn goes on. */
  #start(): void {
    if (this.#isCommitting) return;
    if (this.#waiting.length >= eagerWritesMin) this.#next();
    else if (this.#waiting.length === 1) {
      setImmediate(() => {
        if (!this.#isCommitting) this.#next();
      });
    }
  }

  /** Starts the next commit, or notes that none is needed. */
  #next(): void {
    this.#isCommitting = this.#waiting.length > 0;
    if (!this.#isCommitting) {
      this.#onIdle?.();
      return;
    }
    const batch = this.#takeBatch();
    this.#commit(batch.map(({ write }) => write)).then(
      (outcomes) => {
        this.#settle(batch, (waiting, index) => {
          const outcome = outcomes[index];
          if (outcome === undefined) waiting.reject(new ServiceError('store_failed'));
          else waiting.resolve(outcome);
        });
      },
      (cause: unknown) => {
        const code = cause instanceof ServiceError ? cause.code : 'store_failed';
        this.#settle(batch, (waiting) => waiting.reject(new ServiceError(code, { cause })));
      },
    );
  }

  #takeBatch(): readonly Waiting[] {
    let count = 0;
    let bytes = 0;
    for (const waiting of this.#waiting) {
      bytes += waiting.bytes;
      if (count === batchWritesMax || (count > 0 && bytes > batchBytesMax)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  /** The next commit starts before the answers of this one are written, so that the disk does not wait for the sockets. */
  #settle(batch: readonly Waiting[], settle: (waiting: Waiting, index: number) => void): void {
    for (const { bytes } of batch) this.#bytes -= bytes;
    this.#writes -= batch.length;
    this.#next();
    batch.forEach(settle);
  }
}

function toError({ refused, reason }: Refusal): ServiceError {
  return new ServiceError(refused, reason === undefined ? {} : { cause: new Error(reason) });
}
