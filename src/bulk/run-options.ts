/** What every run needs beside its request: an import or a batch, from its request to its report. */
import type { Principal } from '../domain/principal.ts';
import type { Semaphore } from '../limits/semaphore.ts';
import type { RunningGroups } from './running-groups.ts';

/** What all imports share, or all batches. */
export interface RunLimits {
  /** A run has one until it ends. */
  readonly places: Semaphore;
  /** Aborted if the client should send the rest later. */
  readonly shutdown: AbortSignal;
}

export interface RunOptions extends RunLimits {
  /** Who makes the changes. */
  readonly principal: Pick<Principal, 'tokenId' | 'limitKey'>;
  /** Those of the space. */
  readonly groups: RunningGroups;
  /** Resolves to whether the token of `principal` is still valid, or that cannot be read now. Never rejects. */
  readonly isAllowed: () => Promise<boolean>;
}
