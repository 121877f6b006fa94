/** Deletes plants one after the other as they are stored by then, and restores them. Says nothing to anyone. */
import type { PlantClient, PlantVersion, StoredPlant } from '../../../src/client/client.ts';
import { isAway, isChangedMeanwhile } from '../session/reasons.ts';
import { announce } from './changes.ts';
import { isTaken } from './save-plant.ts';

export interface Deleted {
  /** As they were when they were deleted: Undo restores that, not what the list showed. */
  readonly gone: readonly StoredPlant[];
  /** Number of plants that someone else keeps changing. */
  readonly changing: number;
  /** What ended it early. `left`: plants not deleted; `isUnsure`: the first of them may be. */
  readonly failure?: { readonly error: unknown; readonly left: number; readonly isUnsure: boolean };
}

/** How often a plant is tried again that someone else changes between its read and its deletion. */
const retriesMax = 3;

export async function deleteEach(
  client: Pick<PlantClient, 'delete' | 'get'>,
  plants: readonly StoredPlant[],
  onProgress: (done: number) => void,
): Promise<Deleted> {
  const gone: StoredPlant[] = [];
  let changing = 0;
  for (const [done, { id }] of plants.entries()) {
    onProgress(done);
    let version: PlantVersion | undefined;
    try {
      const isOurs = await deleteStored(client, id, (read) => {
        version = read;
      });
      if (isOurs && version !== undefined) gone.push(version.plant);
      announce({ kind: 'deleted', id });
    } catch (error) {
      if (isChangedMeanwhile(error)) {
        changing++;
        continue;
      }
      // Only the response may be lost. To create it again does no harm if it is still there.
      const unsure = isAway(error) ? version : undefined;
      if (unsure !== undefined && gone.length > 0) gone.push(unsure.plant);
      return { gone, changing, failure: { error, left: plants.length - done, isUnsure: unsure !== undefined } };
    }
  }
  return { gone, changing };
}

/** Deletes the plant as it is now; false if it was deleted already. */
async function deleteStored(
  client: Pick<PlantClient, 'delete' | 'get'>,
  id: bigint,
  onRead: (version: PlantVersion | undefined) => void,
): Promise<boolean> {
  for (let retries = 0; ; retries++) {
    const version = await client.get(id);
    onRead(version);
    if (version === undefined) return false;
    try {
      return await client.delete(id, { ifMatch: version.etag });
    } catch (error) {
      if (!isChangedMeanwhile(error) || retries === retriesMax) throw error;
    }
  }
}

export interface Restored {
  /** Number of plants whose id is in use again. */
  readonly taken: number;
  readonly failure?: { readonly error: unknown; readonly left: readonly StoredPlant[] };
}

export async function restoreEach(
  client: Pick<PlantClient, 'create'>,
  plants: readonly StoredPlant[],
): Promise<Restored> {
  let taken = 0;
  for (const [at, plant] of plants.entries()) {
    try {
      await client.create(plant);
      announce({ kind: 'stored', plant, isNew: true });
    } catch (error) {
      if (!isTaken(error)) return { taken, failure: { error, left: plants.slice(at) } };
      taken++;
    }
  }
  return { taken };
}
