/** What the methods of the client take and resolve to, where the description has no schema for it. */
import type { StoredPlant } from '../domain/schemas.ts';
import type { Retry, RetryOptions, Surroundings } from './retry.ts';

export interface ClientOptions extends RetryOptions {
  /** Where the service is, base path included: `http://127.0.0.1:3000` or `https://example.org/api/v1`. */
  readonly url: string | URL;
  /** A token with the scopes that the calls need: `plants:read`, `plants:write`. */
  readonly token: string;
  /** Longest wait for one try, answer included, in milliseconds; of an export for each piece. Default 30,000. */
  readonly timeoutMs?: number;
  /** Told of every retry before its wait. */
  readonly onRetry?: (retry: Retry) => void;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Clock, chance and sleep. Default: the real ones. */
  readonly surroundings?: Surroundings;
}

export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. What the service had begun may still take place. */
  readonly signal?: AbortSignal | undefined;
}

/** A plant and the version of it that was seen. */
export interface PlantVersion {
  readonly plant: StoredPlant;
  /** Entity tag of this content, quotes included: opaque, and fit for `ifMatch` as it is. */
  readonly etag: string;
}

/** Which plants: conditions add up. */
export interface PlantFilter {
  /** Exactly this tag; `''` is the empty tag, not the absent one. */
  readonly tag?: string;
  /** The name begins with this, case and accents aside. */
  readonly name?: string;
}

export interface ListOptions extends PlantFilter, CallOptions {
  /** Plants a page, 1 to 1000. Default 100. */
  readonly pageSize?: number;
}

export interface TagOptions extends CallOptions {
  /** Only tags that begin with exactly this. */
  readonly prefix?: string;
  /** Tags a page, 1 to 1000. Default 1000. */
  readonly pageSize?: number;
}

export interface WriteOptions extends CallOptions {
  /** Only if the stored plant still is this version, an `etag`; `*`: only if it is stored. Otherwise PlantStoreError 41201. */
  readonly ifMatch?: string;
}

export interface PutOptions extends WriteOptions {
  /** Only if no plant has this id. Otherwise PlantStoreError 41201. Not together with `ifMatch`. */
  readonly createOnly?: boolean;
}
