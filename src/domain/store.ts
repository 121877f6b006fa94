/** The store port: the promises of every adapter, independent of the database. */
import type { ChangeLog } from './change-log.ts';
import type { NewPlant, PlantPatch, StoredPlant, TagCount } from './schemas.ts';
import type { TokenRecord } from './principal.ts';
import type { WebhookStore } from './webhooks.ts';

/** Condition of a write, checked inside its transaction. Versions come from `versionOf`. */
export interface Condition {
  /** The stored plant must have one of these versions; `*`: it must exist. */
  readonly ifMatch?: '*' | readonly string[] | undefined;
  /** The stored plant must have none of these versions; `*`: it must not exist. */
  readonly ifNoneMatch?: '*' | readonly string[] | undefined;
}

/** Selects plants of a list. All conditions must match. That of a batch is `PlantFilter` of the description. */
export interface ListFilter {
  /** Exactly this tag; `''` is the empty tag, not an absent one. */
  readonly tag?: string | undefined;
  /** True: without a tag. */
  readonly untagged?: boolean | undefined;
  /** Words: each must begin a word of the name, in any order, ignoring case and accents. */
  readonly name?: string | undefined;
  /** Words: each must be in a word of name or tag; one of one or two characters must begin it. */
  readonly search?: string | undefined;
}

/** After texts of this length (UTF-16 units) a page may end, with one row more if more follow. */
export const pageLengthMax = 500_000;

/** Asks for one page of a list. */
export interface PlantQuery extends ListFilter {
  /** By id: ascending, which is the default, or descending. */
  readonly order?: 'asc' | 'desc' | undefined;
  /** Only ids that follow this one in that order. If absent, from its beginning. */
  readonly after?: bigint | undefined;
  /** Only ids above this one. */
  readonly above?: bigint | undefined;
  /** Only ids below this one. */
  readonly below?: bigint | undefined;
  /** Maximum number of rows; a page of long texts may have fewer (`pageLengthMax`). */
  readonly limit: number;
}

/** A page of a list, or a part of one. */
export interface PlantPage {
  readonly plants: readonly StoredPlant[];
  /** Asks for the rest of the page. Undefined if it is full, cut by its length, or no more match. */
  readonly next: PlantQuery | undefined;
}

/** Asks for one page of the tags. */
export interface TagQuery {
  /** Only tags with exactly this prefix. */
  readonly prefix?: string | undefined;
  /** Only tags after this one. */
  readonly after?: string | undefined;
  /** See `PlantQuery.limit`. */
  readonly limit: number;
}

/** What holds for all rows of an import. */
export interface ImportRules {
  /** What to do with a row whose id is stored with other fields. */
  readonly onConflict: 'fail' | 'skip' | 'replace';
  /** If true, writes nothing; outcomes compare each row with the plants stored now. */
  readonly dryRun: boolean;
  /** The group of the changes. */
  readonly group?: string | undefined;
}

/** Outcome of an imported row. `taken`: a conflict, and `onConflict` is `fail`. */
export type RowOutcome = 'created' | 'unchanged' | 'replaced' | 'skipped' | 'taken';

/** One change of a batch. */
export interface PlantEdit {
  readonly id: bigint;
  /** What must be stored; null: nothing. If absent, anything. */
  readonly from?: StoredPlant | null | undefined;
  /** The fields to change; null deletes the plant. If `from` is null, all fields of a new one. */
  readonly to: PlantPatch | null;
}

/** `unchanged`: as wanted already. `unknown`: no plant to patch. `conflict`: not as `from` says. */
export type EditOutcome = 'changed' | 'unchanged' | 'unknown' | 'conflict';

/**
 * The plants. All writes share one queue and the same durability. Those of one plant are in the
 * order of their calls; of others that wait together, those of single plants come before imports
 * and edits. Each change is written to the change log, in the same transaction, with `by`: the id of
 * the token that wrote it.
 */
export interface PlantStore {
  /**
   * Stores one plant. Once this resolves, the plant survives a crash and a loss of power.
   *
   * Resolves to `replayed`, without writing, if an equal plant is stored.
   * @throws ServiceError `plant_id_taken` if the id is stored with other fields; nothing is
   * written.
   * @throws ServiceError `store_busy` if too many writes wait; nothing is written.
   * @throws ServiceError `store_full` if the disk has no space; nothing is written.
   * @throws ServiceError `store_unavailable` if the database cannot be reached; nothing is written.
   * Reads throw it, too.
   * @throws ServiceError `store_failed` if it is unknown whether the plant was stored; a retry is
   * safe.
   */
  create(plant: NewPlant, by?: string): Promise<'created' | 'replayed'>;

  /**
   * Creates or replaces the plant; durable like `create`. Resolves to `unchanged`, without writing,
   * if an equal plant is stored.
   * @throws ServiceError `precondition_failed` if the condition is not met; nothing is written.
   * Otherwise like `create`.
   */
  put(plant: NewPlant, condition: Condition, by?: string): Promise<'created' | 'replaced' | 'unchanged'>;

  /**
   * Updates the given fields; `tag: null` removes the tag (RFC 7396). Resolves to the stored plant;
   * durable like `create`.
   * @throws ServiceError `plant_unknown` or `precondition_failed`; nothing is written. Otherwise
   * like `create`.
   */
  patch(id: bigint, patch: PlantPatch, condition: Condition, by?: string): Promise<StoredPlant>;

  /**
   * Deletes the plant; durable like `create`.
   * @throws ServiceError `plant_unknown` or `precondition_failed`; nothing is written. Otherwise
   * like `create`.
   */
  delete(id: bigint, condition: Condition, by?: string): Promise<void>;

  /**
   * Stores the rows in order, in one transaction, which may include other writes; a store that
   * divides the plants needs several. Resolves to one outcome per row once they are on disk.
   * @throws ServiceError like `create`: no row is stored, or with `store_failed` that is unknown.
   */
  import(rows: readonly NewPlant[], rules: ImportRules, by?: string): Promise<readonly RowOutcome[]>;

  /**
   * Changes plants in order, in transactions like those of `import`. The changes have the group.
   * Resolves to one outcome per edit once they are on disk.
   * @throws ServiceError like `import`.
   */
  edit(edits: readonly PlantEdit[], group: string, by?: string): Promise<readonly EditOutcome[]>;

  /**
   * How many rows one call of `import` or `edit` should have now: others' writes wait for them, so
   * they are fewer while others write.
   */
  bulkRows(): number;

  /** Resolves to the plant as sent, code point for code point; undefined if it is not stored. */
  find(id: bigint): Promise<StoredPlant | undefined>;

  /** Returns the opaque version of a plant's content, equal on every store. */
  versionOf(plant: StoredPlant): string;

  /**
   * Resolves to a page, in the order of signed ids. Its position does not change its cost. A search
   * may end after a bounded number of plants: it then has `next`, even if it found none.
   * @throws ServiceError `store_busy` if too many searches wait.
   */
  list(query: PlantQuery): Promise<PlantPage>;

  /**
   * A number that changes with each commit of plants, before anyone can read the change: while it
   * is the same, earlier reads are still valid. Undefined if the adapter cannot tell, or a commit
   * runs.
   */
  revision(): number | undefined;

  /** Resolves to tags after `after`, ascending by code point, each with its number of plants. */
  listTags(query: TagQuery): Promise<TagCounts>;

  /** Resolves to the number of stored plants. */
  count(): Promise<number>;

  /**
   * Iterates over all plants that match the filter, ascending by id, as of one moment between the
   * call and the first chunk. Reads chunks only as fast as they are consumed; ending early
   * releases it. A snapshot keeps the store from reusing space, so the store aborts one that holds
   * too much.
   * @throws ServiceError `store_busy` if too many snapshots are open, or if it was aborted.
   */
  snapshot(filter: ListFilter): AsyncIterable<readonly StoredPlant[]>;
}

/** All of one moment. */
export interface TagCounts {
  readonly tags: readonly TagCount[];
  /** Number of all plants, with and without a tag. */
  readonly stored: number;
}

/** The tokens. */
export interface TokenStore {
  /**
   * Stores a record; resolves once it is on disk.
   * @param countMax most tokens that can be used then, without users; decided in the transaction.
   * @throws ServiceError `tokens_full` if it has as many; otherwise like `PlantStore.create`.
   */
  insert(token: TokenRecord, countMax?: number): Promise<void>;

  /**
   * Stores the first token's record, unless any token is stored, even a revoked one; decided in one
   * transaction. Resolves to whether it was stored.
   */
  insertFirst(token: TokenRecord): Promise<boolean>;

  /** Resolves to the record with this SHA-256, even if revoked or expired, or to undefined. */
  findByHash(hash: string): Promise<TokenRecord | undefined>;

  /** Resolves to all records, in order of creation. */
  list(): Promise<TokenRecord[]>;

  /**
   * Marks a token as revoked from `revokedAt` (ms). Resolves to false if no token has this id; a
   * second revocation changes nothing and resolves to true.
   */
  revoke(id: string, revokedAt: number): Promise<boolean>;

  /** Records the last use of a token (ms). Informational; may be lost in a crash. */
  touch(id: string, usedAt: number): Promise<void>;
}

/** An open store. */
export interface Store {
  readonly plants: PlantStore;
  readonly tokens: TokenStore;
  readonly changes: ChangeLog;
  readonly webhooks: WebhookStore;

  /** Returns whether the next write would be refused. */
  isBusy(): boolean;
  /** Before a body is read. @throws ServiceError `store_busy` or `store_unavailable` if it would. */
  requireWritable(): void;

  /** Resolves if the store can read; otherwise rejects. */
  ping(): Promise<void>;

  /** Resolves to the reason if the store fails permanently and the process must exit. */
  readonly failed: Promise<Error>;

  /**
   * Commits waiting writes for up to two seconds, refuses the rest with `shutting_down`, then
   * closes every file. Later calls reject with `shutting_down`; a second `close` waits.
   */
  close(): Promise<void>;
}
