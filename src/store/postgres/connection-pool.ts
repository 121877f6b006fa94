/** A few connections to the primary, opened when they are needed and dropped when it changes. What runs on them is not known here. */
import { ServiceError } from '../../domain/errors.ts';
import type { Cluster } from './cluster.ts';
import type { Connection } from './connection.ts';

export interface PoolOptions {
  readonly connectionsMax: number;
  /** Settings of the session beside those of every connection. */
  readonly parameters?: Parameters<Cluster['connect']>[0];
}

export class ConnectionPool {
  readonly #cluster: Cluster;
  readonly #options: PoolOptions;
  readonly #connections = new Set<Connection>();
  readonly #taken = new Set<Connection>();
  #opening: Promise<Connection> | undefined;
  #reserved = 0;

  constructor(cluster: Cluster, options: PoolOptions) {
    this.#cluster = cluster;
    this.#options = options;
    cluster.onMoved(() => this.#dropAll(new Error('another host accepts writes now')));
  }

  /**
   * Runs `work` on a connection that nobody else uses. A connection that is not usable afterwards is dropped.
   * @throws ServiceError `store_busy` when all are in use, `store_unavailable` when the database cannot be reached; what `work` throws.
   */
  async use<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    if (this.#reserved >= this.#options.connectionsMax) throw new ServiceError('store_busy');
    this.#reserved += 1;
    let connection: Connection | undefined;
    try {
      connection = this.#findIdle() ?? (await this.#open());
      this.#taken.add(connection);
      return await work(connection);
    } finally {
      this.#reserved -= 1;
      if (connection !== undefined) this.#giveBack(connection);
    }
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
    // Another connection helps those that come next; this one need not wait for it.
    if (this.#connections.size < this.#options.connectionsMax) this.#open().catch(() => undefined);
    return best;
  }

  /** Destroys what is still in use: call it when nobody waits for an answer any more. */
  async close(): Promise<void> {
    const open = [...this.#connections];
    this.#connections.clear();
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

  #findIdle(): Connection | undefined {
    return this.#usable().find((connection) => !this.#taken.has(connection));
  }

  /** Shared pools open one at a time; exclusive ones, as many as are asked for. */
  async #open(): Promise<Connection> {
    if (this.#reserved > 0) return this.#openOne();
    this.#opening ??= this.#openOne().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #openOne(): Promise<Connection> {
    const connection = await this.#cluster.connect(this.#options.parameters);
    this.#connections.add(connection);
    return connection;
  }

  #giveBack(connection: Connection): void {
    this.#taken.delete(connection);
    if (connection.isUsable && this.#connections.has(connection)) return;
    this.#connections.delete(connection);
    connection.destroy(new Error('the connection is not usable any more'));
  }

  #dropAll(reason: Error): void {
    for (const connection of this.#connections) connection.destroy(reason);
    this.#connections.clear();
  }
}
