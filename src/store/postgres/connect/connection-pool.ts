/** A few connections to the primary, opened when needed and dropped when it changes. */
import { ServiceError } from '../../../domain/errors.ts';
import type { Cluster } from './cluster.ts';
import type { PoolMember } from './pool-group.ts';
import type { Connection } from './connection.ts';
import type { Parameters } from './session-settings.ts';

export interface PoolOptions {
  readonly connectionsMax: number;
  readonly parameters?: Partial<Parameters>;
  /** Runs on each new connection before anything else does. */
  readonly prepare?: (connection: Connection) => Promise<void>;
}

export class ConnectionPool implements PoolMember {
  readonly #cluster: Cluster;
  readonly #options: PoolOptions;
  readonly #connections = new Set<Connection>();
  readonly #taken = new Set<Connection>();
  /**
   * For each call that waits for a connection, in their order, what gives it one; without one
   * it fails.
   */
  readonly #waiting = new Set<(connection?: Connection) => void>();
  #opening: Promise<Connection> | undefined;
  #isClosed = false;
  #reserved = 0;
  /** How often another host has become the primary. */
  #moves = 0;

  constructor(cluster: Cluster, options: PoolOptions) {
    this.#cluster = cluster;
    this.#options = options;
    cluster.pools.add(this);
  }

  /**
   * Runs `work` on a connection that nobody else uses.
   * @param deadline as `take`.
   * @throws As `take`; what `work` throws.
   */
  async use<Result>(work: (connection: Connection) => Promise<Result>, deadline?: number): Promise<Result> {
    const connection = await this.take(deadline);
    try {
      return await work(connection);
    } finally {
      this.giveBack(connection);
    }
  }

  /**
   * Resolves to a connection that nobody else uses until it is given back.
   * @param deadline by `performance.now()`: until then, one that comes back will do if none can
   * be opened.
   * @throws ServiceError `store_busy` when all are in use, `store_unavailable` when the
   * database cannot be reached.
   */
  async take(deadline = -Infinity): Promise<Connection> {
    if (this.#reserved >= this.#options.connectionsMax) throw new ServiceError('store_busy');
    this.#reserved += 1;
    try {
      const idle = this.#takeIdle();
      return idle ?? (await this.#openOne(this.#taken).catch((reason: unknown) => this.#waitForOne(deadline, reason)));
    } catch (error) {
      this.#reserved -= 1;
      throw error;
    }
  }

  /** A connection that is not usable any more is dropped. */
  giveBack(connection: Connection): void {
    this.#reserved -= 1;
    if (connection.isUsable && this.#connections.has(connection)) {
      const [give] = this.#waiting;
      const isSpare = give === undefined || this.#connections.size > 1;
      const isOffered = isSpare && this.#cluster.pools.offer(connection);
      if (isOffered) this.#connections.delete(connection);
      if (isOffered || give === undefined) this.#taken.delete(connection);
      else give(connection);
      return;
    }
    this.#taken.delete(connection);
    this.#connections.delete(connection);
    connection.destroy(new Error('the connection is not usable any more'));
    if (this.#taken.size === 0) for (const fail of this.#waiting) fail();
  }

  /**
   * The connection with the least work, for statements that are sent behind each other.
   * @throws ServiceError `store_unavailable` when the database cannot be reached.
   */
  async share(): Promise<Connection> {
    let best: Connection | undefined;
    for (const connection of this.#usable()) {
      if (connection.pending === 0) return connection;
      if (best === undefined || connection.pending < best.pending) best = connection;
    }
    if (best === undefined) return this.#open();
    // Another connection helps the next callers; this caller need not wait for it.
    if (this.#connections.size < this.#options.connectionsMax) this.#open().catch(() => undefined);
    return best;
  }

  /** Resolves when there is a connection, used or not. @throws As `share`. */
  async requireOne(): Promise<void> {
    if (this.#usable().length === 0) await this.#open();
  }

  async closeIdle(): Promise<boolean> {
    const idle = this.#usable().find((connection) => !this.#taken.has(connection) && connection.pending === 0);
    if (idle === undefined) return false;
    this.#connections.delete(idle);
    await idle.close();
    return true;
  }

  dropAll(): void {
    this.#moves += 1;
    for (const connection of this.#connections) connection.destroy(movedError());
    this.#connections.clear();
  }

  /** Destroys what is still in use: call it when nobody waits for an answer any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const open = [...this.#connections];
    this.#connections.clear();
    await this.#opening?.catch(() => undefined);
    await Promise.all(
      open.map(async (connection) => {
        if (this.#taken.has(connection) || connection.pending > 0) connection.destroy(new Error('the store is closed'));
        else await connection.close();
      }),
    );
  }

  #usable(): Connection[] {
    for (const connection of this.#connections) if (!connection.isUsable) this.#connections.delete(connection);
    return [...this.#connections];
  }

  #takeIdle(): Connection | undefined {
    const idle = this.#usable().find((connection) => !this.#taken.has(connection));
    if (idle !== undefined) this.#taken.add(idle);
    return idle;
  }

  /** @throws `reason` at the deadline, or when nobody has a connection that could come back. */
  async #waitForOne(deadline: number, reason: unknown): Promise<Connection> {
    const leftMs = deadline - performance.now();
    const idle = this.#takeIdle();
    if (idle !== undefined) return idle;
    if (leftMs <= 0 || this.#taken.size === 0 || this.#isClosed) throw reason;
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    const give = (connection?: Connection): void => {
      clearTimeout(timer);
      this.#waiting.delete(give);
      if (connection === undefined) reject(reason);
      else resolve(connection);
    };
    const timer = setTimeout(give, leftMs);
    this.#waiting.add(give);
    return promise;
  }

  /** Opens one connection at a time, however many callers wait. */
  #open(): Promise<Connection> {
    return (this.#opening ??= this.#openOne().finally(() => (this.#opening = undefined)));
  }

  /** @param owned gets the connection before another call can find it. */
  async #openOne(owned?: Set<Connection>): Promise<Connection> {
    this.#requireOpen();
    const moves = this.#moves;
    // Other pools give up a connection only for a pool that has none.
    const connection = await this.#cluster.connect(this.#options.parameters, this.#usable().length === 0);
    try {
      await this.#options.prepare?.(connection);
      if (moves !== this.#moves) throw movedError();
    } catch (cause) {
      connection.destroy(new Error('the connection could not be prepared'));
      this.#cluster.suspect();
      throw new ServiceError('store_unavailable', { cause });
    }
    try {
      this.#requireOpen();
    } catch (error) {
      await connection.close();
      throw error;
    }
    this.#connections.add(connection);
    owned?.add(connection);
    return connection;
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new ServiceError('shutting_down');
  }
}

function movedError(): Error {
  return new Error('another host accepts writes now');
}
