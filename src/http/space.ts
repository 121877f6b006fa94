/** A store with what this process keeps of it in memory. An ordinary service has one. */
import { RunningGroups } from '../bulk/running-groups.ts';
import type { Store } from '../domain/store.ts';
import { ChangeHub, type ChangeHubOptions } from '../feed/change-hub.ts';
import { ResponseCache } from './steps/response-cache.ts';

export interface Space {
  readonly store: Store;
  /** Serves the clients that follow the changes of the space. */
  readonly hub: ChangeHub;
  /** The groups of the imports and batches that run in the space. */
  readonly groups: RunningGroups;
  /** Replies until the next write, by target. */
  readonly cache: ResponseCache;
}

export interface SpaceOptions extends ChangeHubOptions {
  /** See `ResponseCache`. */
  readonly cacheLengthMax?: number;
}

/** @param shutdown ends all followers. */
export function toSpace(store: Store, shutdown: AbortSignal, options: SpaceOptions = {}): Space {
  return {
    store,
    hub: new ChangeHub(store.changes, shutdown, options),
    groups: new RunningGroups(),
    cache: new ResponseCache(store.plants, options.cacheLengthMax),
  };
}
