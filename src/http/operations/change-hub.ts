/**
 * Followers of the change log. One that lags reads alone; those at the end of the log share one
 * read after commits, and only those that get a change wake. changes.ts makes the replies.
 */
import { setImmediate } from 'node:timers/promises';
import type { Change, ChangeBatch, ChangeFilter, ChangeLog } from '../../domain/change-log.ts';
import { ServiceError } from '../../domain/errors.ts';

/** Maximum number of followers. */
const followersMax = 2_000;
/** Changes read at once for all. */
const sharedRows = 500;
/** Changes that a follower reads alone at once: with long texts, many slow ones take much memory. */
const aloneRows = 50;
/** Maximum number of changes that wait for a follower; with more it is behind, and reads alone. */
const pendingMax = 1_000;
/** Minimum time between two reads for all, in milliseconds. */
const pauseMs = 100;

export interface FollowOptions {
  readonly filter: ChangeFilter;
  /** Maximum number of changes in a batch. */
  readonly limit: number;
  /** Maximum time between two batches, in milliseconds; then one may be empty. */
  readonly patienceMs: number;
  /** Calls the listener once nobody wants the batches any more. */
  readonly onGone: (listener: () => void) => void;
}

interface Follower {
  readonly filter: ChangeFilter;
  /** The same for equal filters. */
  readonly key: string;
  /** Seen up to here, with what is pending; undefined: up to where all have seen. */
  after: string | undefined;
  isAtEnd: boolean;
  isGone: boolean;
  pending: Change[];
  wake: (() => void) | undefined;
}

export class ChangeHub {
  readonly #changes: ChangeLog;
  readonly #shutdown: AbortSignal;
  readonly #followers = new Set<Follower>();
  /** Those at the end of the log, by filter. */
  readonly #atEnd = new Map<string, Set<Follower>>();
  /** All at the end have seen the changes up to here; undefined if nobody is there. */
  #position: string | undefined;
  /** Number of reads for all that were begun. */
  #reads = 0;
  #isReading = false;
  #readAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void) | undefined;

  /** @param shutdown ends all followers. */
  constructor(changes: ChangeLog, shutdown: AbortSignal) {
    this.#changes = changes;
    this.#shutdown = shutdown;
    shutdown.addEventListener('abort', () => {
      for (const { wake } of this.#followers) wake?.();
    });
  }

  /** @throws ServiceError `store_busy` if too many follow. */
  requirePlace(): void {
    if (this.#followers.size >= followersMax) throw new ServiceError('store_busy');
  }

  /** Yields the changes after a position as they are committed, until nobody wants them or the service shuts down. */
  async *follow(start: string, options: FollowOptions): AsyncGenerator<ChangeBatch, undefined> {
    const { filter, limit, patienceMs, onGone } = options;
    const follower = this.#enter(filter);
    onGone(() => {
      follower.isGone = true;
      follower.wake?.();
    });
    const isOver = (): boolean => follower.isGone || this.#shutdown.aborted;
    try {
      let after = start;
      for (let dueAt = performance.now() + patienceMs; !isOver();) {
        const [reads, position] = [this.#reads, this.#position];
        const isWithAll = follower.isAtEnd || follower.pending.length > 0;
        const batch = isWithAll
          ? await this.#takePending(follower, limit, dueAt - performance.now())
          : await this.#changes.read({ ...filter, after, limit: Math.min(limit, aloneRows) });
        after = batch.next;
        if (batch.changes.length > 0 || performance.now() >= dueAt) {
          dueAt = performance.now() + patienceMs;
          yield batch;
        }
        if (isWithAll) continue;
        // A read may resolve without waiting for anything.
        await setImmediate();
        if (!batch.hasMore) this.#joinEnd(follower, after, reads, position);
      }
    } finally {
      this.#leave(follower);
    }
  }

  #enter(filter: ChangeFilter): Follower {
    const { id, kind, tag } = filter;
    const follower: Follower = {
      filter,
      key: `${id ?? ''} ${kind ?? ''} ${tag === undefined ? '' : `=${tag}`}`,
      after: undefined,
      isAtEnd: false,
      isGone: false,
      pending: [],
      wake: undefined,
    };
    this.#followers.add(follower);
    this.#unsubscribe ??= this.#changes.subscribe(() => this.#readSoon());
    return follower;
  }

  #leave(follower: Follower): void {
    this.#leaveEnd(follower);
    this.#followers.delete(follower);
    if (this.#followers.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** @param reads, and position, noted before it read alone: if all have read since, or others have come, they may be ahead of it. */
  #joinEnd(follower: Follower, after: string, reads: number, position: string | undefined): void {
    const isBehind = ![undefined, position, after].includes(this.#position);
    if (reads !== this.#reads || this.#isReading || isBehind) return;
    this.#position ??= after;
    follower.after = after === this.#position ? undefined : after;
    follower.isAtEnd = true;
    const group = this.#atEnd.get(follower.key) ?? new Set();
    this.#atEnd.set(follower.key, group.add(follower));
  }

  #leaveEnd(follower: Follower): void {
    if (!follower.isAtEnd) return;
    follower.isAtEnd = false;
    const group = this.#atEnd.get(follower.key);
    group?.delete(follower);
    if (group?.size === 0) this.#atEnd.delete(follower.key);
    if (this.#atEnd.size === 0) this.#position = undefined;
  }

  /** Resolves to what is pending, at the latest after `ms`. */
  async #takePending(follower: Follower, limit: number, ms: number): Promise<ChangeBatch> {
    if (follower.pending.length === 0) await waitForWake(follower, ms);
    const changes = follower.pending.splice(0, limit);
    const next = changes.at(-1)?.position ?? follower.after ?? this.#position;
    if (next === undefined) throw new ServiceError('internal');
    return {
      changes,
      next: follower.pending.length > 0 ? next : (follower.after ?? this.#position ?? next),
      hasMore: false,
    };
  }

  #readSoon(): void {
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        if (this.#isReading) this.#readSoon();
        else void this.#readForAll();
      },
      Math.max(0, this.#readAt + pauseMs - performance.now()),
    );
  }

  async #readForAll(): Promise<void> {
    this.#readAt = performance.now();
    this.#reads += 1;
    this.#isReading = true;
    try {
      for (let hasMore = true; hasMore && this.#position !== undefined;) {
        const page = await this.#changes.read({ ...this.#sharedFilter(), after: this.#position, limit: sharedRows });
        for (const group of this.#atEnd.values()) this.#serve(group, page.changes);
        // Everybody may have left meanwhile.
        if (this.#atEnd.size > 0) this.#position = page.next;
        ({ hasMore } = page);
        if (hasMore) await setImmediate();
      }
    } catch {
      // Each reads alone, and gets the error itself.
      for (const group of [...this.#atEnd.values()]) for (const follower of [...group]) this.#fallBehind(follower);
    } finally {
      this.#isReading = false;
    }
  }

  /** Returns what the store may filter by: the filter of all, if they have the same one. */
  #sharedFilter(): ChangeFilter {
    const followers = [...this.#atEnd.values().flatMap((group) => group)];
    // Who has read some changes alone finds its place by the last of them, which must be in the page.
    const isAhead = followers.some(({ after }) => after !== undefined);
    return isAhead || this.#atEnd.size > 1 ? {} : (followers[0]?.filter ?? {});
  }

  /** Gives the changes to all who have the same filter. */
  #serve(group: ReadonlySet<Follower>, changes: readonly Change[]): void {
    let found: readonly Change[] | undefined;
    for (const follower of [...group]) {
      if (follower.after === undefined) {
        found ??= changes.filter((change) => matches(change, follower.filter));
        this.#give(follower, found);
        continue;
      }
      // This one has read some of them alone.
      const last = changes.findIndex(({ position }) => position === follower.after);
      if (last === -1) continue;
      follower.after = undefined;
      this.#give(
        follower,
        changes.slice(last + 1).filter((change) => matches(change, follower.filter)),
      );
    }
  }

  #give(follower: Follower, changes: readonly Change[]): void {
    if (changes.length === 0) return;
    if (follower.pending.length + changes.length > pendingMax) this.#fallBehind(follower);
    else follower.pending.push(...changes);
    follower.wake?.();
  }

  /** From now on the follower reads alone, after what is pending. */
  #fallBehind(follower: Follower): void {
    follower.after ??= follower.pending.at(-1)?.position ?? this.#position;
    this.#leaveEnd(follower);
    follower.wake?.();
  }
}

async function waitForWake(follower: Follower, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  follower.wake = () => resolve(undefined);
  const timer = setTimeout(follower.wake, Math.max(0, ms));
  await promise;
  clearTimeout(timer);
  follower.wake = undefined;
}

function matches({ id, kind, plant, before }: Change, filter: ChangeFilter): boolean {
  if (filter.id !== undefined && id !== filter.id) return false;
  if (filter.kind !== undefined && kind !== filter.kind) return false;
  return filter.tag === undefined || plant?.tag === filter.tag || before?.tag === filter.tag;
}
