/** What a copy of the plants needs from the page around it, and what it says of itself. */
import type { PlantClient } from '../../../src/client/client.ts';
import type { Bounds } from './bounds.ts';
import type { Row } from './order.ts';
import type { OwnWrites } from './own-writes.ts';
import type { Query } from './query.ts';

/** What a copy is at a moment. Only `rows` changes in place, until the plants are loaded again. */
export interface CopyState {
  /** `behind`: there are more changes to read. `reloading`: what was loaded before stays until all is read again. `failed`: nothing is loaded. */
  readonly phase: 'loading' | 'live' | 'behind' | 'reloading' | 'failed';
  /** Why it is not loaded, or not up to date. */
  readonly error: unknown;
  /** Number of all plants when they were loaded. */
  readonly total: number | undefined;
  readonly rows: ReadonlyMap<bigint, Row>;
  /** The rows are all plants. */
  readonly isWhole: boolean;
  readonly query: Query;
  /** The id of the last plant, if the query finds more. */
  readonly end: bigint | undefined;
}

export interface CopyChange {
  /** Undefined: any may have changed. */
  readonly ids: ReadonlySet<bigint> | undefined;
  /** Those of them that others changed. */
  readonly news: ReadonlySet<bigint>;
}

export interface CopyPorts {
  readonly client: Pick<PlantClient, 'changesPage' | 'count' | 'get' | 'latestPosition' | 'listPage'>;
  readonly writes: OwnWrites;
  readonly onError: (error: unknown) => void;
  /** Resolves after a time in milliseconds, or when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly bounds: Bounds;
}
