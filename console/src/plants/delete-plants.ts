/** Deletes plants and offers to bring them back. */
import { type PlantClient, PlantStoreError, type StoredPlant } from '../../../src/client/client.ts';
import { isAway, noteError } from '../session/session.ts';
import { toCount } from '../ui/numbers.ts';
import { toQuoted } from '../ui/plant-text.tsx';
import { showToast } from '../ui/toasts.tsx';
import { announce } from './changes.ts';

/** Resolves when as many as possible are gone; what went wrong is told in a message. */
export async function deletePlants(client: PlantClient, plants: readonly StoredPlant[]): Promise<void> {
  const gone: StoredPlant[] = [];
  for (const plant of plants) {
    try {
      // What comes back after Undo is what was deleted, and not what the list showed.
      const version = await client.get(plant.id);
      if (version !== undefined && (await client.delete(plant.id, { ifMatch: version.etag }))) gone.push(version.plant);
      announce({ kind: 'deleted', id: plant.id });
    } catch (error) {
      noteError(error, 'write');
      const reason = isAway(error) ? 'The service does not answer.' : error instanceof Error ? error.message : '';
      showToast({ text: `${toCount(plants.length - gone.length, 'plant')} not deleted. ${reason}`, isBad: true });
      break;
    }
  }
  if (gone.length > 0) offerUndo(client, gone);
}

/** Says what was deleted, with the way back. */
export function offerUndo(client: PlantClient, gone: readonly StoredPlant[]): void {
  const [only] = gone;
  const text =
    gone.length === 1 && only !== undefined ? `${toQuoted(only.name)} deleted` : `${gone.length} plants deleted`;
  showToast({ text, action: { label: 'Undo', run: () => void bringBack(client, gone) } });
}

async function bringBack(client: PlantClient, plants: readonly StoredPlant[]): Promise<void> {
  let taken = 0;
  for (const [at, plant] of plants.entries()) {
    try {
      await client.create(plant);
      announce({ kind: 'stored', plant, isNew: true });
    } catch (error) {
      noteError(error, 'write');
      if (error instanceof PlantStoreError && error.number === 40901) {
        taken++;
        continue;
      }
      const left = plants.slice(at);
      showToast({
        text: `${toCount(left.length, 'plant')} not brought back: ${error instanceof Error ? error.message : ''}`,
        isBad: true,
        action: { label: 'Try again', run: () => void bringBack(client, left) },
      });
      return;
    }
  }
  const [only] = plants;
  if (taken > 0) showToast({ text: `${toCount(taken, 'id')} taken by another plant meanwhile.`, isBad: true });
  else if (plants.length === 1 && only !== undefined) showToast({ text: `${toQuoted(only.name)} is back.` });
  else showToast({ text: `${plants.length} plants are back.` });
}
