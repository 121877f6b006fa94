/** The pools of an instance, which share the connections that the server allows. */
import type { Connection } from './connection.ts';

/** Longest wait for a pool to give up a connection. */
const roomWithinMs = 1_000;

export interface PoolMember {
  /** Drops all connections: another host has become the primary. */
  dropAll(): void;
  /** Closes an unused connection. Resolves to whether there was one. */
  closeIdle(): Promise<boolean>;
}

export class PoolGroup {
  readonly #pools = new Set<PoolMember>();
  /** Callers that wait for a pool to give up a connection. */
  readonly #wanting = new Set<(closed: Promise<void>) => void>();

  add(pool: PoolMember): void {
    this.#pools.add(pool);
  }

  dropAll(): void {
    for (const pool of this.#pools) pool.dropAll();
  }

  /** Resolves to whether a pool has closed one of its connections. */
  async makeRoom(): Promise<boolean> {
    for (const pool of this.#pools) if (await pool.closeIdle()) return true;
    if (this.#pools.size === 0) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const give = (closed: Promise<void>): void => void closed.then(() => resolve(true));
    this.#wanting.add(give);
    const timer = setTimeout(() => resolve(false), roomWithinMs);
    const isMade = await promise;
    clearTimeout(timer);
    this.#wanting.delete(give);
    return isMade;
  }

  /** Offers a connection that a pool can do without. Returns whether it is closed for another. */
  offer(connection: Connection): boolean {
    const [give] = this.#wanting;
    if (give === undefined) return false;
    this.#wanting.delete(give);
    give(connection.close());
    return true;
  }
}
