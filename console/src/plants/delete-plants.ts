/** Deletes plants and offers to undo it. */
import type { PlantClient, PlantVersion, StoredPlant } from '../../../src/client/client.ts';
import { Observable } from '../observable.ts';
import { addFarewell, isAway, isChangedMeanwhile, noteError, toReason } from '../session/session.ts';
import { toCount } from '../ui/numbers.ts';
import { toQuoted } from '../ui/plant-text.tsx';
import { showToast } from '../ui/toasts.tsx';
import { announce } from './changes.ts';
import { isTaken } from './save-plant.ts';

/** How far a deletion has come; undefined while none runs. */
export const deletion = new Observable<{ readonly done: number; readonly total: number } | undefined>(undefined);

/** How often a plant is tried again that someone else changes between its read and its deletion. */
const retriesMax = 3;

/**
 * Deletes until an error occurs, which is shown in a message. A plant that someone else keeps changing is left out. Does nothing while
 * another deletion runs.
 */
export async function deletePlants(client: PlantClient, plants: readonly StoredPlant[]): Promise<void> {
  if (deletion.value !== undefined) return;
  const gone: StoredPlant[] = [];
  let changing = 0;
  for (const [done, plant] of plants.entries()) {
    deletion.set({ done, total: plants.length });
    let version: PlantVersion | undefined;
    try {
      const isOurs = await deleteStored(client, plant.id, (read) => {
        version = read;
      });
      if (isOurs && version !== undefined) gone.push(version.plant);
      announce({ kind: 'deleted', id: plant.id });
    } catch (error) {
      if (isChangedMeanwhile(error)) {
        changing++;
        continue;
      }
      noteError(error, 'write');
      // Deleted, perhaps: only the response may be lost. To create it again does no harm if it is still there.
      const unsure = isAway(error) ? version : undefined;
      if (unsure !== undefined && gone.length > 0) gone.push(unsure.plant);
      const text = `${toCount(plants.length - done, 'plant')} not deleted${unsure === undefined ? '' : ', or one less'}.`;
      showToast({ text: `${text} ${toReason(error)}`, isBad: true });
      addFarewell(text);
      break;
    }
  }
  deletion.set(undefined);
  if (changing > 0) {
    const text = `${toCount(changing, 'plant')} not deleted: someone else keeps changing ${changing === 1 ? 'it' : 'them'}.`;
    showToast({ text, isBad: true });
  }
  if (gone.length > 0) offerUndo(client, gone);
}

/**
 * Deletes the plant as it is now; false if it was deleted already.
 * @param onRead receives what is deleted: Undo must restore that, not what the list showed.
 */
async function deleteStored(
  client: PlantClient,
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

/** Says what was deleted, with a button to undo it. */
export function offerUndo(client: PlantClient, gone: readonly StoredPlant[]): void {
  const [only] = gone;
  const text =
    gone.length === 1 && only !== undefined ? `${toQuoted(only.name)} deleted` : `${gone.length} plants deleted`;
  showToast({ text, actions: [{ label: 'Undo', run: () => void restore(client, gone) }] });
}

async function restore(client: PlantClient, plants: readonly StoredPlant[]): Promise<void> {
  let taken = 0;
  for (const [at, plant] of plants.entries()) {
    try {
      await client.create(plant);
      announce({ kind: 'stored', plant, isNew: true });
    } catch (error) {
      noteError(error, 'write');
      if (isTaken(error)) {
        taken++;
        continue;
      }
      const left = plants.slice(at);
      const text = `${toCount(left.length, 'plant')} not restored.`;
      const actions = [{ label: 'Try again', run: () => void restore(client, left) }];
      showToast({ text: `${text} ${toReason(error)}`, isBad: true, actions });
      addFarewell(text);
      return;
    }
  }
  const [only] = plants;
  if (taken > 0) showToast({ text: `${toCount(taken, 'plant')} not restored: the id is in use again.`, isBad: true });
  else if (plants.length === 1 && only !== undefined) showToast({ text: `${toQuoted(only.name)} restored.` });
  else showToast({ text: `${plants.length} plants restored.` });
}
