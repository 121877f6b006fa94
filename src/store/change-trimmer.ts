/**
 * Keeps the change log within its limits: removes the oldest changes in small steps beside normal
 * work. Knows no database.
 */
import type { ChangeLimits } from '../domain/change-log.ts';

/** Changes that one step removes at most: a few milliseconds of the writer. */
export const trimmedMax = 2_000;
/** A trim starts after this many writes. */
const writesBetween = trimmedMax / 2;
/** Without writes, changes still grow too old. */
const pauseMs = 60_000;

/**
 * Removes at most `trimmedMax` changes that exceed the limits, and perhaps other rows that nobody
 * needs. The age is by the clock that set the times of the changes. Resolves to whether there may
 * be more changes to remove.
 */
export type TrimStep = (limits: ChangeLimits) => Promise<boolean>;

export class ChangeTrimmer {
  readonly #trim: TrimStep;
  readonly #limits: ChangeLimits;
  readonly #timer: NodeJS.Timeout;
  #writes = 0;
  #isClosed = false;
  #running: Promise<void> | undefined;

  constructor(trim: TrimStep, limits: ChangeLimits) {
    this.#trim = trim;
    this.#limits = limits;
    this.#timer = setInterval(() => this.#start(), pauseMs).unref();
  }

  /** Call after each commit. */
  advance(writes: number): void {
    this.#writes += writes;
    if (this.#writes >= writesBetween) this.#start();
  }

  /** Resolves once no step runs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  #start(): void {
    if (this.#running !== undefined) return;
    this.#writes = 0;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      this.advance(0);
    });
  }

  /** A step that fails is repeated at the next start. */
  async #run(): Promise<void> {
    try {
      for (let hasMore = true; hasMore && !this.#isClosed;) hasMore = await this.#trim(this.#limits);
    } catch {
      // The store reports its failures itself; nothing is lost by keeping changes longer.
    }
  }
}
