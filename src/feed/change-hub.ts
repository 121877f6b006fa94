/**
 * Followers of the change log. The newest changes are kept in memory, read once for all after
 * commits; a follower of an older position reads alone. changes.ts makes the replies.
 */
import { setImmediate } from 'node:timers/promises';
import type { ChangePage, ChangeFilter, ChangeLog } from '../domain/change-log.ts';
import { Semaphore } from '../limits/semaphore.ts';
import { ChangeTail } from './change-tail.ts';

/** Maximum number of followers; one token has at most half. */
export const followersMax = 2_000;
/** Maximum number of changes kept for all. */
const usualTailMax = 1_000;
/** Changes read at once for all. */
const sharedRows = 500;
/** Changes that a follower reads alone at once: long texts take much memory. */
const aloneRows = 50;
/** Minimum time between two reads for all, in milliseconds. */
const pauseMs = 100;
/** How often tokens are checked, in milliseconds: a revocation takes effect within a second. */
const tokenCheckMs = 500;
/** A client that is half closed may have gone: time between two writes, of which one fails then. */
const probeMs = 1_000;
const probesMax = 2;

export interface ChangeHubOptions {
  /** Default: `followersMax`. */
  readonly places?: Semaphore | undefined;
  /** Maximum number of changes kept for all. */
  readonly tailMax?: number | undefined;
}

export interface FollowOptions {
  readonly filter: ChangeFilter;
  /** Maximum number of changes in a page. */
  readonly limit: number;
  /** Maximum time between two pages, in milliseconds; then one may be empty. */
  readonly patienceMs: number;
  /** The field Authorization: followers with the same one have the same token. */
  readonly authorization: string;
  /** See `Principal.limitKey`. */
  readonly limitKey: string;
  /** Resolves to whether the token is still valid, or that cannot be read now. Never rejects. */
  readonly isAllowed: () => Promise<boolean>;
  /** Calls the listener once nobody wants the pages any more. */
  readonly onGone: (listener: () => void) => void;
  /** Calls the listener once the client may have gone: it gets two pages, soon. */
  readonly onHalfClosed: (listener: () => void) => void;
}

interface Follower extends Pick<FollowOptions, 'authorization' | 'isAllowed'> {
  isGone: boolean;
  /** When it gets a page, also an empty one. */
  dueAt: number;
  /** Pages to come at short intervals. */
  probes: number;
  /** Set while it waits. */
  wake: (() => void) | undefined;
}

export class ChangeHub {
  readonly #changes: ChangeLog;
  readonly #shutdown: AbortSignal;
  readonly #followers = new Set<Follower>();
  readonly #places: Semaphore;
  readonly #tailMax: number;
  /**
   * Begins where the first follower has found the end of the log; ends with the last follower,
   * or with an error.
   */
  #tail: ChangeTail | undefined;
  #isReading = false;
  #readAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #tokenTimer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void) | undefined;

  /** @param shutdown ends all followers. */
  constructor(changes: ChangeLog, shutdown: AbortSignal, options: ChangeHubOptions = {}) {
    const { places = new Semaphore(followersMax), tailMax = usualTailMax } = options;
    this.#changes = changes;
    this.#shutdown = shutdown;
    this.#places = places;
    this.#tailMax = tailMax;
    shutdown.addEventListener('abort', () => this.#wakeAll());
  }

  get isFollowed(): boolean {
    return this.#followers.size > 0;
  }

  /** @throws ServiceError `store_busy` if too many follow. */
  requirePlace(limitKey: string): void {
    this.#places.require(limitKey);
  }

  /**
   * Yields the changes after a position as they are committed, until nobody wants them, the
   * token is not valid any more, or the service shuts down.
   * @throws ServiceError like `requirePlace`, and of the store.
   */
  async *follow(start: string, options: FollowOptions): AsyncGenerator<ChangePage, undefined> {
    const { filter, limit, patienceMs } = options;
    const free = this.#places.take(options.limitKey);
    const follower = this.#enter(options);
    const isOver = (): boolean => follower.isGone || this.#shutdown.aborted;
    try {
      for (let after = start; !isOver();) {
        const page = this.#tail?.find(after, filter, limit) ?? (await this.#readAlone(after, filter, limit));
        after = page.next;
        const now = performance.now();
        if (page.changes.length > 0 || now >= follower.dueAt) {
          follower.probes = Math.max(0, follower.probes - 1);
          follower.dueAt = now + (follower.probes > 0 ? probeMs : patienceMs);
          yield page;
        } else if (!page.hasMore && !isOver()) await waitForWake(follower);
      }
    } finally {
      free();
      this.#leave(follower);
    }
  }

  #enter({ authorization, isAllowed, patienceMs, onGone, onHalfClosed }: FollowOptions): Follower {
    const dueAt = performance.now() + patienceMs;
    const follower: Follower = { authorization, isAllowed, isGone: false, dueAt, probes: 0, wake: undefined };
    this.#followers.add(follower);
    this.#unsubscribe ??= this.#changes.subscribe(() => this.#readSoon());
    this.#tokenTimer ??= setInterval(() => this.#checkTokens(), tokenCheckMs).unref();
    onGone(() => end(follower));
    onHalfClosed(() => {
      follower.probes = probesMax;
      follower.dueAt = performance.now();
      follower.wake?.();
    });
    return follower;
  }

  #leave(follower: Follower): void {
    this.#followers.delete(follower);
    if (this.#followers.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#tail = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    clearInterval(this.#tokenTimer);
    this.#tokenTimer = undefined;
  }

  /** Asks once for each token, however many followers it has; a user may have several tokens. */
  #checkTokens(): void {
    const asked = new Map<string, Promise<boolean>>();
    for (const follower of this.#followers) {
      const answer = asked.get(follower.authorization) ?? follower.isAllowed();
      asked.set(follower.authorization, answer);
      void answer.then((isAllowed) => {
        if (!isAllowed) end(follower);
      });
    }
  }

  #wakeAll(): void {
    for (const { wake } of this.#followers) wake?.();
  }

  async #readAlone(after: string, filter: ChangeFilter, limit: number): Promise<ChangePage> {
    const page = await this.#changes.read({ ...filter, after, limit: Math.min(limit, aloneRows) });
    // A read may resolve without waiting for anything.
    await setImmediate();
    if (!page.hasMore && page.next !== this.#tail?.next) {
      this.#tail ??= new ChangeTail(page.next, this.#tailMax);
      // What was committed during the read may be behind the tail or ahead of it: whoever waits
      // now is woken after the next read for all.
      this.#readSoon();
    }
    return page;
  }

  #readSoon(): void {
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        if (this.#isReading) this.#readSoon();
        else void this.#readForAll();
      },
      this.#isReading ? pauseMs : Math.max(0, this.#readAt + pauseMs - performance.now()),
    );
  }

  async #readForAll(): Promise<void> {
    const tail = this.#tail;
    if (tail === undefined) return;
    this.#readAt = performance.now();
    this.#isReading = true;
    try {
      for (let hasMore = true; hasMore && tail === this.#tail;) {
        const page = await this.#changes.read({ after: tail.next, limit: sharedRows });
        tail.add(page);
        this.#wakeAll();
        ({ hasMore } = page);
        if (hasMore) await setImmediate();
      }
    } catch {
      // Each reads alone, and gets the error itself.
      this.#tail = undefined;
      this.#wakeAll();
    } finally {
      this.#isReading = false;
    }
  }
}

/** Ends a follower. If its token is not valid any more, its next request says so. */
function end(follower: Follower): void {
  follower.isGone = true;
  follower.wake?.();
}

async function waitForWake(follower: Follower): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  follower.wake = () => resolve(undefined);
  const timer = setTimeout(follower.wake, Math.max(0, follower.dueAt - performance.now()));
  await promise;
  clearTimeout(timer);
  follower.wake = undefined;
}
