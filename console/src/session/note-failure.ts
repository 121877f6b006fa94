/** What an error of a request about webhooks or tokens means for the session. */
import { PlantStoreError } from '../../../src/client/client.ts';
import { isAway } from './reasons.ts';
import { noteError } from './session.ts';

/** A missing scope says nothing about the other scopes. */
export function noteFailure(error: unknown): void {
  if (isAway(error) || (error instanceof PlantStoreError && error.status === 401)) noteError(error, 'read');
}
