/**
 * Those who follow the change log: wakes them after commits, and reads once for all who are at its
 * end. Replies are made in changes.ts.
 */
import { setImmediate } from 'node:timers/promises';
import type { Change, ChangeBatch, ChangeFilter, ChangeLog } from '../../domain/change-log.ts';
import { ServiceError } from '../../domain/errors.ts';

/** Maximum number of followers. */
const followersMax = 2_000;
/** Changes read at once for all followers. */
const sharedRows = 500;
/** Minimum time between two reads for all followers, in milliseconds. */
const pauseMs = 50;

export interface FollowOptions {
  readonly filter: ChangeFilter;
  /** Maximum number of changes in a batch. */
  readonly limit: number;
  /** Maximum time between two batches, in milliseconds; then one may be empty. */
  readonly patienceMs: number;
  readonly ended: AbortSignal;
}

export class ChangeHub {
  readonly #changes: ChangeLog;
  readonly #waiting = new Set<() => void>();
  #followers = 0;
  #unsubscribe: (() => void) | undefined;
  /** Number of times that the followers were woken. */
  #wakes = 0;
  #wokenAt = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The page read since the followers were woken. */
  #shared: { readonly after: string; readonly page: Promise<ChangeBatch> } | undefined;

  constructor(changes: ChangeLog) {
    this.#changes = changes;
  }

  /** @throws ServiceError `store_busy` if too many follow. */
  requirePlace(): void {
    if (this.#followers >= followersMax) throw new ServiceError('store_busy');
  }

  /** Yields the changes after a position as they are committed, until `ended` is aborted. */
  async *follow(start: string, options: FollowOptions): AsyncGenerator<ChangeBatch, undefined> {
    const { patienceMs, ended } = options;
    this.#enter();
    try {
      let yieldedAt = performance.now();
      let isAtEnd = false;
      for (let after = start; !ended.aborted;) {
        // Noted before the read: what is committed during it wakes this follower again.
        const wakes = this.#wakes;
        const page = await this.#read(after, isAtEnd, options);
        after = page.next;
        isAtEnd = !page.hasMore;
        // A read may resolve without waiting for anything.
        await setImmediate();
        if (isAtEnd && page.changes.length === 0)
          await this.#wait(wakes, yieldedAt + patienceMs - performance.now(), ended);
        if (page.changes.length === 0 && performance.now() < yieldedAt + patienceMs) continue;
        yieldedAt = performance.now();
        yield page;
      }
    } finally {
      this.#leave();
    }
  }

  #enter(): void {
    this.#followers += 1;
    this.#unsubscribe ??= this.#changes.subscribe(() => this.#wakeSoon());
  }

  #leave(): void {
    this.#followers -= 1;
    if (this.#followers > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#shared = undefined;
  }

  async #read(after: string, isAtEnd: boolean, { filter, limit }: FollowOptions): Promise<ChangeBatch> {
    if (!isAtEnd) return this.#changes.read({ ...filter, after, limit });
    if (this.#shared?.after !== after) this.#shared = { after, page: this.#changes.read({ after, limit: sharedRows }) };
    return select(await this.#shared.page, filter, limit);
  }

  #wakeSoon(): void {
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#wakes += 1;
        this.#wokenAt = performance.now();
        this.#shared = undefined;
        for (const wake of this.#waiting) wake();
      },
      Math.max(0, this.#wokenAt + pauseMs - performance.now()),
    );
  }

  /** Resolves after the next wake, or at once if one came after `wakes`; or after the time, or at the end. */
  #wait(wakes: number, ms: number, ended: AbortSignal): Promise<void> {
    if (wakes !== this.#wakes || ms <= 0 || ended.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        ended.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#waiting.add(done);
      ended.addEventListener('abort', done);
    });
  }
}

/** The changes of a page that match. */
function select(page: ChangeBatch, filter: ChangeFilter, limit: number): ChangeBatch {
  const found = page.changes.filter((change) => matches(change, filter));
  if (found.length <= limit) return { ...page, changes: found };
  const changes = found.slice(0, limit);
  return { changes, next: changes.at(-1)?.position ?? page.next, hasMore: true };
}

function matches({ id, kind, plant, before }: Change, filter: ChangeFilter): boolean {
  if (filter.id !== undefined && id !== filter.id) return false;
  if (filter.kind !== undefined && kind !== filter.kind) return false;
  return filter.tag === undefined || plant?.tag === filter.tag || before?.tag === filter.tag;
}
