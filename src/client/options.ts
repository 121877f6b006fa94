/** Parameters and results of the client's methods. */
import type { BatchReport, Change, StoredPlant } from '../domain/schemas.ts';
import type { Retry, RetryEnvironment, RetryOptions } from './retry.ts';

export type {
  Author,
  Batch,
  BatchError,
  BatchReport,
  Change,
  Delivery,
  ImportReport,
  NewPlant,
  NewToken,
  NewWebhook,
  Plant,
  PlantPatch,
  PlantSelection,
  StoredPlant,
  TagCount,
  OwnToken,
  Token,
  TokenWithSecret,
  Webhook,
  WebhookPatch,
  WebhookTest,
  WebhookWithSecret,
} from '../domain/schemas.ts';

export interface ClientOptions extends RetryOptions {
  /** Where the service is, with its base path: `https://example.org/api/v1`. */
  readonly url: string | URL;
  /** A token with the scopes that the calls need: `plants:read`, `plants:write`. */
  readonly token: string;
  /**
   * Time-out of one try, response included, in milliseconds; of an export, of each chunk.
   * Default 30,000; Infinity: none.
   */
  readonly timeoutMs?: number | undefined;
  /** Called before the delay of each retry. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Clock, random source and delay, for tests. Default: the real ones. */
  readonly environment?: RetryEnvironment | undefined;
}

export interface CallOptions {
  /** Aborts the call with the signal's reason. The service may still finish the request. */
  readonly signal?: AbortSignal | undefined;
}

/** A plant and its version. */
export interface PlantVersion {
  readonly plant: StoredPlant;
  /** Entity tag of this content, quotes included; opaque. Pass it to `ifMatch` as it is. */
  readonly etag: string;
}

/** Which plants; all conditions must be met. */
export interface PlantFilter {
  /** Exactly this tag; `''` is the empty tag, not the absent one. */
  readonly tag?: string | undefined;
  /** True: without a tag. */
  readonly untagged?: true | undefined;
  /** Words: each must begin a word of the name, in any order, ignoring case and accents. */
  readonly name?: string | undefined;
  /** Words: each must be in a word of name or tag; one of one or two characters must begin it. */
  readonly search?: string | undefined;
}

export interface ListOptions extends PlantFilter, CallOptions {
  /** Lowest id first, which is the default, or highest id first. */
  readonly order?: 'asc' | 'desc' | undefined;
  /** Only plants with an id above this. */
  readonly above?: bigint | undefined;
  /** Only plants with an id below this. */
  readonly below?: bigint | undefined;
  /** Plants a page, 1 to 1000. Default 100. */
  readonly pageSize?: number | undefined;
}

export interface ExportProgress {
  /** Bytes that have arrived. */
  readonly bytes: number;
  /** Plants that have arrived whole. */
  readonly rows: bigint;
}

export interface ExportOptions extends PlantFilter, CallOptions {
  /** True: CSV begins with a byte order mark, which Excel needs for UTF-8. Default false. */
  readonly byteOrderMark?: boolean | undefined;
  /** Called with each chunk, before the stream yields it. */
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
}

export interface BatchOptions extends CallOptions {
  /** Called with each report on the way; only the last one has the errors. */
  readonly onProgress?: ((report: BatchReport) => void) | undefined;
}

export interface TagOptions extends CallOptions {
  /** Only tags that begin with exactly this. */
  readonly prefix?: string | undefined;
  /** Tags a page, 1 to 1000. Default 1000. */
  readonly pageSize?: number | undefined;
}

/** Which changes; all conditions must be met. */
export interface ChangeFilter {
  /** Of this plant, or of one of these: 1 to 100, each once. */
  readonly id?: bigint | readonly bigint[] | undefined;
  /** The plant has exactly this tag, or had it before. */
  readonly tag?: string | undefined;
  readonly kind?: Change['kind'] | undefined;
}

export interface ChangesOptions extends ChangeFilter, CallOptions {
  /** Only changes after this `position`; `now`: from now on. Default: from the oldest one kept. */
  readonly after?: string | undefined;
  /** Maximum number of changes a request, 1 to 1000. Default 1000. */
  readonly pageSize?: number | undefined;
  /**
   * Called once all changes up to this position were yielded, every 25 s at least. To continue
   * later, pass the newest one as `after`: with a filter, the last change that was yielded may
   * be so old that it is not kept any more.
   */
  readonly onPosition?: ((position: string) => void) | undefined;
}

export interface ChangePageOptions extends ChangeFilter, CallOptions {
  /** Only changes after this `position`; `now`: after the newest one. */
  readonly after?: string | undefined;
  /** Default `asc`, oldest first. `desc`: newest first, and `after` means older than. */
  readonly order?: 'asc' | 'desc' | undefined;
  /** Maximum number of changes, 1 to 1000. Default 100. */
  readonly pageSize?: number | undefined;
  /**
   * True: only changes that are the newest of their plant; of kind `deleted`, those of plants
   * that are still deleted. Default false.
   */
  readonly newest?: boolean | undefined;
  /** Leaves out the changes of these groups, at most 20; `groupPlants` of the page counts them. */
  readonly exceptGroup?: readonly string[] | undefined;
  /** Seconds to wait for a change if there is none, 0 to 60. Added to the time-out. Default 0. */
  readonly waitSeconds?: number | undefined;
}

export interface HistoryOptions extends CallOptions {
  /** Changes a page, 1 to 1000. Default 100. */
  readonly pageSize?: number | undefined;
}

export interface DeliveriesOptions extends CallOptions {
  /** Maximum number of deliveries, 1 to 1000. Default 100. */
  readonly limit?: number | undefined;
}

export interface WriteOptions extends CallOptions {
  /**
   * Only if the stored plant still is this version, an `etag`; `*`: only if it exists.
   * Otherwise PlantStoreError 41201.
   */
  readonly ifMatch?: string | undefined;
}

export interface PutOptions extends WriteOptions {
  /** Only if no plant has this id. Otherwise PlantStoreError 41201. Not together with `ifMatch`. */
  readonly createOnly?: boolean | undefined;
}
