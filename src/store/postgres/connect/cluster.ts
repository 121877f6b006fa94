/** Finds the host that accepts writes, also after a failover. connection-pool.ts has the pools. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../../domain/errors.ts';
import type { ClusterEvent } from './cluster-event.ts';
import { Connection, type Login } from './connection.ts';
import type { HostAddress } from './database-url.ts';
import { sqlStateOf } from './error-code.ts';
import { LoginError } from './login-error.ts';
import { confirmStandbys, findNewest, isStill, notPrimaryError, stalledError, toFoundEvent } from './primary.ts';
import type { Found, Primary } from './primary.ts';
import { PoolGroup } from './pool-group.ts';
import { UnusableServerError } from './server-state.ts';
import type { Parameters } from './session-settings.ts';

/** Time between two questions to every host while all is well. */
const probePauseMs = 1_000;
/** Pauses between two searches while no host accepts writes: doubled from `min` to `max`. */
const searchPauseMs = { min: 50, max: 1_000 } as const;
const probeWithinMs = 1_000;
/** A primary that has not answered for this long is lost. A server that is merely slow is not. */
const lostAfterMs = 2_000;
/** A request that fails so long after a wait for a lock was seen has waited for it, too. */
const blockedForMs = 5_000;
/** SQLSTATE of a server, a database or a user that has all its connections. */
const tooManyConnections = '53300';

export class Cluster {
  readonly #hosts: readonly HostAddress[];
  readonly #login: Login;
  readonly #onEvent: (event: ClusterEvent) => void;
  readonly #adopt: (connection: Connection) => Promise<void>;
  readonly #probes = new Map<HostAddress, Connection>();
  readonly #ending = new AbortController();
  readonly pools = new PoolGroup();
  #primary: Primary | undefined;
  /** The primary, or the last one: no timeline before its own counts. */
  #last: Primary | undefined;
  #isStalled = false;
  #reason: Error | undefined;
  #seenAt = 0;
  #unusable: string | undefined;
  #refusal: LoginError | undefined;
  #blockedAt = -Infinity;
  #wake = new AbortController();
  /** Resolves at the end of the round that is under way or comes next, and when the cluster is closed. */
  #round = Promise.withResolvers<undefined>();
  #running: Promise<void> = Promise.resolve();

  /** @param adopt is called for each new primary; throws UnusableServerError to refuse it. */
  constructor(
    hosts: readonly HostAddress[],
    login: Login,
    adopt: (connection: Connection) => Promise<void>,
    onEvent: (event: ClusterEvent) => void,
  ) {
    this.#hosts = hosts;
    this.#login = login;
    this.#adopt = adopt;
    this.#onEvent = onEvent;
  }

  /** Undefined while no host is known to accept writes. */
  get primary(): Primary | undefined {
    return this.#primary;
  }

  /** False also while the primary waits for a standby with every commit. */
  get isWritable(): boolean {
    return this.#primary !== undefined && !this.#isStalled;
  }

  /** Why there is no primary, or why it stores nothing. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** A sentence for those whose request waits; undefined when nothing waits for somebody else. */
  get waitsFor(): string | undefined {
    if (performance.now() - this.#blockedAt > blockedForMs) return undefined;
    return 'The database waits for a lock that another session holds';
  }

  /**
   * Asks every host again and again until `close`. Resolves after the first round, found or not.
   * @throws UnusableServerError for the only host that accepts writes; LoginError from each host.
   */
  async start(): Promise<void> {
    const [found, reason] = await this.#probeAll();
    if (found === undefined && this.#unusable !== undefined) throw new UnusableServerError(this.#unusable);
    if (this.#refusal !== undefined) throw this.#refusal;
    this.#setPrimary(found, reason);
    this.#running = this.#watch();
  }

  /**
   * Opens a connection to the primary.
   * @param isNeeded whether a pool may give one up for it.
   * @throws ServiceError `store_unavailable` when none is known or it cannot be reached.
   */
  async connect(parameters: Partial<Parameters> = {}, isNeeded = true): Promise<Connection> {
    const primary = this.#primary;
    if (primary === undefined) throw new ServiceError('store_unavailable', { cause: this.#reason });
    try {
      const connection = await this.#open(primary.address, parameters, isNeeded);
      const state = await connection.readState(probeWithinMs);
      // A probe may only have been late: the next round, after one that is under way, finds whether the host is what it was.
      for (let rounds = 0; rounds < 2 && this.#primary?.probe.isUsable === false; rounds += 1) {
        this.suspect();
        await this.#round.promise;
      }
      if (this.#primary?.address === primary.address && isStill(this.#primary, state)) return connection;
      const reason = notPrimaryError(state);
      connection.destroy(reason);
      // An open session keeps older settings of the server: the next round begins a new one.
      if (!state.isWritable) primary.probe.destroy(reason);
      throw reason;
    } catch (cause) {
      if (cause instanceof Error && sqlStateOf(cause) !== undefined) this.noteRefusal('connection', cause);
      this.suspect();
      throw new ServiceError('store_unavailable', { cause });
    }
  }

  /** Reports what the database refuses. */
  noteRefusal(what: 'connection' | 'statement', reason: Error): void {
    this.#onEvent({ kind: 'refused', what, reason });
  }

  async #open(address: HostAddress, parameters: Partial<Parameters> = {}, isNeeded = true): Promise<Connection> {
    for (;;) {
      try {
        return await Connection.open(address, this.#login, parameters);
      } catch (error) {
        if (sqlStateOf(error) !== tooManyConnections || !isNeeded || !(await this.pools.makeRoom())) throw error;
      }
    }
  }

  /** Reports that the primary did not answer as it should: every host is asked again at once. */
  suspect(): void {
    this.#wake.abort();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#wake.abort();
    this.#round.resolve(undefined);
    for (const probe of this.#probes.values()) probe.destroy(new Error('the store is closed'));
    await this.#running;
  }

  async #watch(): Promise<void> {
    let pauseMs: number = searchPauseMs.min;
    for (;;) {
      pauseMs = this.#primary === undefined ? Math.min(pauseMs * 2, searchPauseMs.max) : searchPauseMs.min;
      // A suspicion shortens the pause, but never below the least.
      await sleep(searchPauseMs.min);
      await sleep((this.#primary === undefined ? pauseMs : probePauseMs) - searchPauseMs.min, undefined, {
        signal: this.#wake.signal,
      }).catch(() => undefined);
      if (this.#ending.signal.aborted) return;
      this.#wake = new AbortController();
      this.#setPrimary(...(await this.#probeAll()));
      this.#round.resolve(undefined);
      this.#round = Promise.withResolvers();
    }
  }

  async #probeAll(): Promise<[Found | undefined, Error]> {
    this.#unusable = undefined;
    let reason = new Error('no host accepts writes');
    let refusals = 0;
    const states = await Promise.all(
      this.#hosts.map(async (address) => {
        try {
          return await this.#probe(address);
        } catch (error) {
          if (error instanceof Error) reason = error;
          if (error instanceof LoginError) refusals += 1;
          return undefined;
        }
      }),
    );
    this.#refusal = refusals === this.#hosts.length && reason instanceof LoginError ? reason : undefined;
    const best = findNewest(states, this.#last?.timeline ?? 0);
    const unconfirmed = best === undefined || this.#isConfirmed(best) ? undefined : await confirmStandbys(best);
    return [unconfirmed === undefined ? best : undefined, unconfirmed ?? reason];
  }

  #isConfirmed(found: Found): boolean {
    const primary = this.#primary;
    return primary?.address === found.address && primary.probe === found.probe && isStill(primary, found);
  }

  async #probe(address: HostAddress): Promise<Found> {
    let probe = this.#probes.get(address);
    try {
      if (probe?.isUsable !== true) {
        probe = await this.#open(address);
        this.#probes.set(address, probe);
        // Closed meanwhile: nobody else would end this connection.
        if (this.#ending.signal.aborted) throw new Error('the store is closed');
      }
      const [state, blocker] = await Promise.all([probe.readState(probeWithinMs), probe.findBlocker(probeWithinMs)]);
      // A new session is asked next: this one keeps the default that it began with.
      if (state.timeline > 0 && !state.isWritable) throw notPrimaryError(state);
      const isKnown = this.#primary?.address === address && this.#primary.timeline === state.timeline;
      if (state.isWritable && !isKnown) await this.#adopt(probe);
      return { address, probe, blocker, ...state };
    } catch (error) {
      probe?.destroy(error instanceof Error ? error : new Error(String(error)));
      this.#probes.delete(address);
      if (error instanceof UnusableServerError) this.#unusable = error.message;
      throw error;
    }
  }

  #setPrimary(found: Found | undefined, reason: Error): void {
    if (this.#ending.signal.aborted) return;
    const before = this.#primary;
    const now = performance.now();
    if (found === undefined) {
      if (before !== undefined && now - this.#seenAt < lostAfterMs && this.#unusable === undefined) return;
      const isNew = before !== undefined || this.#reason?.message !== reason.message;
      this.#primary = undefined;
      this.#reason = reason;
      if (isNew) this.#onEvent({ kind: 'lost', reason });
      return;
    }
    const { isStalled, address, timeline, startedAt, probe, blocker } = found;
    if (blocker !== undefined) {
      this.#blockedAt = now;
      this.#onEvent({ kind: 'blocked', by: blocker });
    }
    const isChanged = this.#isStalled !== isStalled;
    this.#isStalled = isStalled;
    this.#reason = isStalled ? stalledError() : undefined;
    this.#seenAt = now;
    const isSame = before?.address === address && before.timeline === timeline;
    const last = this.#last;
    this.#primary = isSame && this.#isConfirmed(found) ? before : { address, timeline, startedAt, probe };
    this.#last = this.#primary;
    if (isSame && isChanged)
      this.#onEvent(this.#reason === undefined ? toFoundEvent(found) : { kind: 'lost', reason: this.#reason });
    if (isSame) return;
    // A server that was only slow still has its connections, and the commits that are on their way.
    if (last !== undefined && (last.timeline !== timeline || last.startedAt !== startedAt)) this.pools.dropAll();
    this.#onEvent(toFoundEvent(found));
  }
}
