/** Writes an earlier state of a plant, or deletes it, unless somebody has changed it since, and offers to undo that. */
import type { Change, PlantClient, PlantVersion, StoredPlant } from '../../../src/client/client.ts';
import { announcements, isSamePlant } from '../copy/changes.ts';
import { restorePlants } from './bulk-actions.ts';
import { changedText, isChangedMeanwhile } from '../session/reasons.ts';
import { toQuoted } from '../ui/plant-text.tsx';
import { showNotWritten } from '../session/show-failure.ts';
import { showToast } from '../session/toasts.tsx';

/** Writes `plant` if the stored one is still the version `current`. Messages say how it ends. */
export async function restorePlant(client: PlantClient, plant: StoredPlant, current: PlantVersion): Promise<void> {
  try {
    const { etag } = await client.put(plant.id, plant, { ifMatch: current.etag });
    announcements.call({ kind: 'stored', plant, isNew: false });
    showToast({
      text: `${toQuoted(plant.name)} restored.`,
      actions: [{ label: 'Undo', run: () => void undoChange(client, { plant, etag }, current.plant) }],
    });
  } catch (error) {
    showNotWritten(error, 'Restoring', 'The plant was not restored.');
  }
}

/** Deletes the plant if the stored one is still this version. Messages say how it ends, but for `changed`: there is another version. */
export async function deletePlant(
  client: PlantClient,
  { plant, etag }: PlantVersion,
): Promise<'deleted' | 'changed' | 'failed'> {
  const name = toQuoted(plant.name);
  try {
    const isOurs = await client.delete(plant.id, { ifMatch: etag });
    announcements.call({ kind: 'deleted', id: plant.id });
    const undo = { label: 'Undo', run: () => void restorePlants(client, [plant]) };
    showToast(isOurs ? { text: `${name} deleted.`, actions: [undo] } : { text: 'The plant was already deleted.' });
    return 'deleted';
  } catch (error) {
    if (isChangedMeanwhile(error)) return 'changed';
    showNotWritten(error, `Deleting ${name}`, `${name} was not deleted.`);
    return 'failed';
  }
}

/** Writes what the version `done` replaced, if nobody has changed that since; undefined: deletes it. Messages say how it ends. */
export async function undoChange(
  client: PlantClient,
  done: PlantVersion,
  before: StoredPlant | undefined,
): Promise<void> {
  if (before !== undefined) await restorePlant(client, before, done);
  else if ((await deletePlant(client, done)) === 'changed') tellChanged();
}

function tellChanged(): void {
  showToast({ text: `The plant was not changed back. ${changedText}`, isBad: true });
}

/** Undoes a change that is the last of its plant, unless it is not any more. Messages say how it ends. */
export async function undoLogged(client: PlantClient, { id, plant, before }: Change): Promise<void> {
  if (plant === undefined) {
    if (before !== undefined) await restorePlants(client, [before]);
    return;
  }
  try {
    const now = await client.get(id);
    if (now !== undefined && isSamePlant(now.plant, plant)) await undoChange(client, now, before);
    else tellChanged();
  } catch (error) {
    showNotWritten(error, 'Undoing', 'The plant was not changed back.');
  }
}
