/**
 * The store port: what every adapter promises, so that nothing above it knows which database is below.
 * How a promise is kept (batches, threads, SQL) is not said here.
 */
import type { NewPlant } from './schemas.ts';
import type { TokenRecord } from './principal.ts';

/** The plants. Every write shares one queue, one order and one durability. */
export interface PlantStore {
  /**
   * Stores one plant. Once this resolves the plant survives a crash of the process and a loss of power.
   *
   * Resolves to `replayed` when an equal plant is stored already; nothing is written then.
   * @throws ServiceError `plant_id_taken` when the id is stored with other fields; nothing is changed.
   * @throws ServiceError `store_busy` when too many writes wait; nothing is written.
   * @throws ServiceError `store_full` when the disk has no space; nothing is written.
   * @throws ServiceError `store_failed` when it is unknown whether the plant was stored; sending it again is safe.
   */
  create(plant: NewPlant): Promise<'created' | 'replayed'>;

  /** Resolves to the plant as it was sent, code point for code point; undefined when the id is not stored. */
  find(id: bigint): Promise<NewPlant | undefined>;

  /** Resolves to the number of stored plants. Cost grows with it. */
  count(): Promise<number>;
}

/** The tokens. */
export interface TokenStore {
  /** Stores a record; once this resolves it is on disk. @throws ServiceError as `PlantStore.create`. */
  insert(token: TokenRecord): Promise<void>;

  /**
   * Stores the record of the first token unless any token, revoked ones included, is stored already; the two are one transaction.
   * Resolves to whether it was stored.
   */
  insertFirst(token: TokenRecord): Promise<boolean>;

  /** Resolves to the record with this SHA-256, revoked and expired ones too; undefined when there is none. */
  findByHash(hash: string): Promise<TokenRecord | undefined>;

  /** All records, in order of creation. */
  list(): Promise<TokenRecord[]>;

  /** Marks a token revoked from `revokedAt` (ms) on. Resolves to false when no token has this id; a second revocation changes nothing and is true. */
  revoke(id: string, revokedAt: number): Promise<boolean>;

  /** Notes when a token was last used (ms). May be lost in a crash: it is a hint for people, not a record. */
  touch(id: string, usedAt: number): Promise<void>;
}

/** One open store. */
export interface Store {
  readonly plants: PlantStore;
  readonly tokens: TokenStore;

  /** True while a further write would be refused with `store_busy`: lets the edge refuse before it reads a body. */
  isBusy(): boolean;

  /** Resolves when the store answers a read; throws when it does not. */
  ping(): Promise<void>;

  /** Resolves, with the reason, when the store has failed for good and the process must end; never otherwise. */
  readonly failed: Promise<Error>;

  /** Commits what waits, then lets go of every file. Calls after this reject with `shutting_down`. A second call waits for the first. */
  close(): Promise<void>;
}
