/**
 * The store port: what every adapter promises, so that nothing above it knows which database is below.
 * How a promise is kept (batches, threads, SQL) is not said here.
 */
import type { NewPlant, PlantPatch, StoredPlant, TagCount } from './schemas.ts';
import type { TokenRecord } from './principal.ts';

/** When a write may take place, decided inside its transaction. Versions are opaque texts, as `versionOf` gives them. */
export interface Condition {
  /** The stored plant must have one of these versions; `*`: must exist. */
  readonly ifMatch?: '*' | readonly string[];
  /** The stored plant must have none of these versions; `*`: must not exist. */
  readonly ifNoneMatch?: '*' | readonly string[];
}

/** Which plants a list holds. Conditions add up. */
export interface PlantFilter {
  /** Exactly this tag; `''` is the empty tag, not the absent one. */
  readonly tag?: string;
  /** Words, each of which must begin a word of the name, in any order, case and accents aside; without a word every name matches. */
  readonly name?: string;
}

/** One page of a list. */
export interface PlantPage extends PlantFilter {
  /** Only ids above this one. Absent: from the lowest id on. */
  readonly after?: bigint;
  /** Most rows. */
  readonly limit: number;
}

/** One page of the tags. */
export interface TagPage {
  /** Only tags that begin with exactly this. */
  readonly prefix?: string;
  /** Only tags behind this one. */
  readonly after?: string;
  readonly limit: number;
}

/** What an import does with a row whose id is stored with other fields. */
export interface ImportOptions {
  readonly onConflict: 'fail' | 'skip' | 'replace';
  /** True: nothing is written; the outcomes say what would be, seen row by row against what is stored now. */
  readonly dryRun: boolean;
}

/** What became of an imported row. `taken`: its id is stored with other fields, and `onConflict` is `fail`. */
export type RowOutcome = 'created' | 'unchanged' | 'replaced' | 'skipped' | 'taken';

/** The plants. Every write shares one queue, one order and one durability. */
export interface PlantStore {
  /**
   * Stores one plant. Once this resolves the plant survives a crash of the process and a loss of power.
   *
   * Resolves to `replayed` when an equal plant is stored already; nothing is written then.
   * @throws ServiceError `plant_id_taken` when the id is stored with other fields; nothing is changed.
   * @throws ServiceError `store_busy` when too many writes wait; nothing is written.
   * @throws ServiceError `store_full` when the disk has no space; nothing is written.
   * @throws ServiceError `store_unavailable` when the database cannot be reached; nothing is written. Reads throw it too.
   * @throws ServiceError `store_failed` when it is unknown whether the plant was stored; sending it again is safe.
   */
  create(plant: NewPlant): Promise<'created' | 'replayed'>;

  /**
   * Stores the plant under its id, whether it is stored already or not; durable like `create`. Resolves to `unchanged` when an equal plant
   * is stored already; nothing is written then.
   * @throws ServiceError `precondition_failed` when the condition does not hold; nothing is changed. Otherwise as `create`.
   */
  put(plant: NewPlant, condition: Condition): Promise<'created' | 'replaced' | 'unchanged'>;

  /**
   * Changes the members that the patch names; `tag: null` removes the tag (RFC 7396). Resolves to the plant as it is stored now; durable like `create`.
   * @throws ServiceError `plant_unknown`, or `precondition_failed`; nothing is changed. Otherwise as `create`.
   */
  patch(id: bigint, patch: PlantPatch, condition: Condition): Promise<StoredPlant>;

  /**
   * Removes the plant; durable like `create`.
   * @throws ServiceError `plant_unknown`, or `precondition_failed`; nothing is changed. Otherwise as `create`.
   */
  delete(id: bigint, condition: Condition): Promise<void>;

  /**
   * Stores the rows in order, in one transaction with its neighbours in the queue; resolves to one outcome a row once they are on disk.
   * @throws ServiceError as `create`; then none of the rows is stored, or with `store_failed` that is unknown.
   */
  import(rows: readonly NewPlant[], options: ImportOptions): Promise<readonly RowOutcome[]>;

  /** Resolves to the plant as it was sent, code point for code point; undefined when the id is not stored. */
  find(id: bigint): Promise<StoredPlant | undefined>;

  /** The opaque version of a plant's content, the same on every store. */
  versionOf(plant: StoredPlant): string;

  /**
   * Resolves to the page in ascending order of the signed id. The cost depends on the size of the page, not on its position; with `name`, on the
   * number of plants that match a word too, where many different words begin with it.
   * @throws ServiceError `store_busy` when too many searches wait.
   */
  list(page: PlantPage): Promise<readonly StoredPlant[]>;

  /**
   * A number that changes with each commit, no later than anybody can read what was committed: what was read under one revision is still true
   * while the revision is the same. Undefined when the adapter cannot say.
   */
  revision(): number | undefined;

  /** Resolves to tags after `after`, in ascending order of code points, each with the number of plants that have it. */
  listTags(page: TagPage): Promise<readonly TagCount[]>;

  /** Resolves to the number of stored plants. */
  count(): Promise<number>;

  /**
   * All plants that match the filter, ascending by id, as they were at one moment between the call and the first batch; batch by batch, as
   * fast as they are taken. The iterator throws ServiceError `store_busy` when too many snapshots are open, and an Error when it was aborted:
   * a snapshot keeps the store from reusing space, which it may do up to a bound only. Ending the iteration early frees it.
   */
  snapshot(filter: PlantFilter): AsyncIterable<readonly StoredPlant[]>;
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
