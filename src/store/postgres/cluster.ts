/** Finds the host that accepts writes, and finds it again after a failover. Pools of connections are in connection-pool.ts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../domain/errors.ts';
import type { ClusterEvent } from './cluster-event.ts';
import { Connection, type Login, type ServerState, UnusableServerError } from './connection.ts';
import type { HostAddress } from './database-url.ts';
import { sqlStateOf } from './error-code.ts';
import type { Parameters } from './session-settings.ts';

export interface Primary {
  readonly address: HostAddress;
  readonly timeline: number;
  readonly startedAt: string;
  /** Lasts until the server crashes or restarts: what it shows has been confirmed by its standbys. */
  readonly probe: Connection;
}

/** Time between two questions to every host while all is well. */
const probePauseMs = 1_000;
/** The same while no host accepts writes: doubled from the first to the second. */
const searchPauseMs = { min: 50, max: 1_000 } as const;
const probeWithinMs = 1_000;
/** Longest wait for the standbys of a server that was not the primary before, or has restarted. */
const confirmWithinMs = 2_000;
/** A primary that has not answered for this long is lost. A server that is merely slow is not. */
const lostAfterMs = 2_000;
/** Least time between two reports of refused connections. */
const refusedEveryMs = 60_000;

interface Found extends Primary, ServerState {}

export class Cluster {
  readonly #hosts: readonly HostAddress[];
  readonly #login: Login;
  readonly #onEvent: (event: ClusterEvent) => void;
  readonly #verify: (connection: Connection) => Promise<void>;
  readonly #probes = new Map<HostAddress, Connection>();
  readonly #ending = new AbortController();
  readonly #listeners = new Set<() => void>();
  #primary: Primary | undefined;
  #isStalled = false;
  #reason: Error | undefined;
  #timelineMax = 0;
  #seenAt = 0;
  #refusedAt = -Infinity;
  #unusable: string | undefined;
  #wake = new AbortController();
  #running: Promise<void> = Promise.resolve();

  /** @param verify throws UnusableServerError for a database that this program cannot work with; called for each new primary. */
  constructor(
    hosts: readonly HostAddress[],
    login: Login,
    verify: (connection: Connection) => Promise<void>,
    onEvent: (event: ClusterEvent) => void,
  ) {
    this.#hosts = hosts;
    this.#login = login;
    this.#verify = verify;
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

  /** Called when another host has become the primary. */
  onMoved(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Asks every host once, then goes on to ask them until `close`. Resolves after the first round, whether a primary was found or not.
   * @throws UnusableServerError when the only host that accepts writes must not be used.
   */
  async start(): Promise<void> {
    await this.#probeAll();
    if (this.#primary === undefined && this.#unusable !== undefined) throw new UnusableServerError(this.#unusable);
    this.#running = this.#watch();
  }

  /** Opens a connection to the primary. @throws ServiceError `store_unavailable` when none is known or it cannot be reached. */
  async connect(parameters: Partial<Parameters> = {}): Promise<Connection> {
    const primary = this.#primary;
    if (primary === undefined) throw new ServiceError('store_unavailable', { cause: this.#reason });
    try {
      const connection = await Connection.open(primary.address, this.#login, parameters);
      const state = await connection.readState(probeWithinMs);
      if (this.#primary === primary && isStill(primary, state)) return connection;
      connection.destroy(new Error('the host does not accept writes any more'));
      throw new Error('the host does not accept writes any more');
    } catch (cause) {
      if (cause instanceof Error && sqlStateOf(cause) !== undefined) this.#noteRefusal(cause);
      this.suspect();
      throw new ServiceError('store_unavailable', { cause });
    }
  }

  #noteRefusal(reason: Error): void {
    const now = performance.now();
    if (now - this.#refusedAt < refusedEveryMs) return;
    this.#refusedAt = now;
    this.#onEvent({ kind: 'refused', reason });
  }

  /** Reports that the primary did not answer as it should: every host is asked again at once. */
  suspect(): void {
    this.#wake.abort();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#wake.abort();
    for (const probe of this.#probes.values()) probe.destroy(new Error('the store is closed'));
    await this.#running;
  }

  async #watch(): Promise<void> {
    let pauseMs: number = searchPauseMs.min;
    const isEnding = (): boolean => this.#ending.signal.aborted;
    while (!isEnding()) {
      pauseMs = this.#primary === undefined ? Math.min(pauseMs * 2, searchPauseMs.max) : searchPauseMs.min;
      // A suspicion shortens the pause, but never below the least.
      await sleep(searchPauseMs.min);
      await sleep((this.#primary === undefined ? pauseMs : probePauseMs) - searchPauseMs.min, undefined, {
        signal: this.#wake.signal,
      }).catch(() => undefined);
      if (isEnding()) return;
      this.#wake = new AbortController();
      await this.#probeAll();
    }
  }

  async #probeAll(): Promise<void> {
    this.#unusable = undefined;
    let reason = new Error('no host accepts writes');
    const states = await Promise.all(
      this.#hosts.map(async (address) => {
        try {
          return await this.#probe(address);
        } catch (error) {
          if (error instanceof Error) reason = error;
          return undefined;
        }
      }),
    );
    if (this.#ending.signal.aborted) return;
    const best = states
      .filter((state) => state !== undefined)
      .filter(({ isWritable, timeline }) => isWritable && timeline >= this.#timelineMax)
      .reduce<(typeof states)[number]>(
        (one, other) => (one === undefined || other.timeline > one.timeline ? other : one),
        undefined,
      );
    const unconfirmed = best === undefined || this.#isConfirmed(best) ? undefined : await confirm(best);
    this.#setPrimary(unconfirmed === undefined ? best : undefined, unconfirmed ?? reason);
  }

  #isConfirmed(found: Found): boolean {
    const primary = this.#primary;
    return primary?.address === found.address && primary.probe === found.probe && isStill(primary, found);
  }

  async #probe(address: HostAddress): Promise<Found> {
    let probe = this.#probes.get(address);
    try {
      if (probe?.isUsable !== true) {
        probe = await Connection.open(address, this.#login);
        this.#probes.set(address, probe);
        // Closed meanwhile: nobody else would end this connection.
        if (this.#ending.signal.aborted) throw new Error('the store is closed');
      }
      const state = await probe.readState(probeWithinMs);
      const isKnown = this.#primary?.address === address && this.#primary.timeline === state.timeline;
      if (state.isWritable && !isKnown) await this.#verify(probe);
      return { address, probe, ...state };
    } catch (error) {
      probe?.destroy(error instanceof Error ? error : new Error(String(error)));
      this.#probes.delete(address);
      if (error instanceof UnusableServerError) this.#unusable = error.message;
      throw error;
    }
  }

  #setPrimary(found: Found | undefined, reason: Error): void {
    const before = this.#primary;
    const now = performance.now();
    if (found === undefined) {
      const isSlow = before !== undefined && now - this.#seenAt < lostAfterMs && this.#unusable === undefined;
      if (isSlow) return;
      const isNew = before !== undefined || this.#reason?.message !== reason.message;
      this.#primary = undefined;
      this.#reason = reason;
      if (isNew) this.#onEvent({ kind: 'lost', reason });
      return;
    }
    const { isStalled, address, timeline, startedAt, probe } = found;
    const isChanged = this.#isStalled !== isStalled;
    this.#isStalled = isStalled;
    this.#reason = isStalled ? stalledError() : undefined;
    this.#seenAt = now;
    const isSame = before?.address === address && before.timeline === timeline;
    this.#primary = isSame && this.#isConfirmed(found) ? before : { address, timeline, startedAt, probe };
    if (isSame) {
      if (isChanged)
        this.#onEvent(this.#reason === undefined ? toFound(found) : { kind: 'lost', reason: this.#reason });
      return;
    }
    const isMoved = this.#timelineMax > 0 && before?.timeline !== timeline;
    this.#timelineMax = timeline;
    if (isMoved) for (const listener of this.#listeners) listener();
    this.#onEvent(toFound(found));
  }
}

/** Whether a server is what it was when its standbys confirmed what it shows. */
function isStill({ timeline, startedAt, probe }: Primary, state: ServerState): boolean {
  return probe.isUsable && state.isWritable && state.timeline === timeline && state.startedAt === startedAt;
}

/** Waits until the standbys have what the server shows. Resolves to the reason when they do not, or undefined. */
async function confirm({ probe, isStalled }: Found): Promise<Error | undefined> {
  // One commit that waits is enough: each leaves a session behind until a standby answers.
  if (isStalled) return stalledError();
  try {
    await probe.confirm(confirmWithinMs);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function stalledError(): Error {
  return new Error('commits wait for a synchronous standby');
}

function toFound({ address: { host, port } }: Primary): ClusterEvent {
  return { kind: 'found', host: `${host}:${port}` };
}
