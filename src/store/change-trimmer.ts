/**
 * Keeps the change log within its limits: removes the oldest changes in small steps beside normal
 * work. Tells the store how much time has passed by a monotonic clock. Knows no database.
 */
import type { ChangeLimits } from '../domain/change-log.ts';

/** Changes that one step removes at most: a few milliseconds of the writer. */
export const trimmedMax = 2_000;
/** A trim starts once this many rows were written. */
const rowsBetween = trimmedMax / 2;
/** Without writes, changes still grow too old. */
const pauseMs = 60_000;

export interface TrimOptions extends ChangeLimits {
  /** Since the last step, by a monotonic clock. */
  readonly elapsedMs: number;
}

/** Ages are noted in so many steps of the age limit: a change may be kept that much longer. */
export const ageSteps = 100;

/**
 * Removes at most `trimmedMax` changes that exceed the limits, and perhaps other rows that nobody
 * needs. Age is the time that the store was served while both its wall clock and `elapsedMs`
 * say so. Resolves to whether there may be more changes to remove.
 */
export type Trim = (options: TrimOptions) => Promise<boolean>;

export class ChangeTrimmer {
  readonly #trim: Trim;
  readonly #limits: ChangeLimits;
  readonly #timer: NodeJS.Timeout;
  #rows = 0;
  /** The last step, by `performance.now()`. */
  #steppedAt = performance.now();
  #isClosed = false;
  #running: Promise<void> | undefined;

  constructor(trim: Trim, limits: ChangeLimits) {
    this.#trim = trim;
    this.#limits = limits;
    this.#timer = setInterval(() => this.#start(), pauseMs).unref();
  }

  /** Call after each commit with writes of plants. @param rows that these have written. */
  advance(rows: number): void {
    this.#rows += rows;
    if (this.#rows >= rowsBetween) this.#start();
  }

  /** Resolves once no step runs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  #start(): void {
    if (this.#running !== undefined) return;
    this.#rows = 0;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      this.advance(0);
    });
  }

  /** A step that fails is repeated at the next start. */
  async #run(): Promise<void> {
    try {
      for (let hasMore = true; hasMore && !this.#isClosed;) {
        const now = performance.now();
        hasMore = await this.#trim({ ...this.#limits, elapsedMs: Math.floor(now - this.#steppedAt) });
        this.#steppedAt = now;
      }
    } catch {
      // The store reports its failures itself; nothing is lost by keeping changes longer.
    }
  }
}
