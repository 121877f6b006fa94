/** What an error of the client means for people. */
import { ConnectionError, mayHaveBeenExecuted, PlantStoreError, storeFull } from '../../../src/client/client.ts';

/** Whether the service did not respond, or is temporarily unavailable. */
export function isAway(error: unknown): boolean {
  // If its disk is full, it responds, and only writes are refused.
  if (error instanceof PlantStoreError) return error.status === 503 && error.number !== storeFull;
  return error instanceof ConnectionError;
}

/** Whether a write that failed may be stored all the same: nobody answered, or a proxy did. */
export function mayBeStored(error: unknown): boolean {
  if (error instanceof PlantStoreError) return error.status >= 500 && mayHaveBeenExecuted(error, 'harmless');
  return error instanceof ConnectionError && mayHaveBeenExecuted(error, 'harmless');
}

/** Whether nothing was written because someone else has changed the plant. */
export function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof PlantStoreError && error.status === 412;
}

export const awayText = 'The service is not responding.';
export const changedText = 'It was changed since.';

export function toReason(error: unknown): string {
  if (isAway(error)) return awayText;
  return error instanceof Error ? error.message : String(error);
}
