/** Restores an earlier state of a plant and offers to undo it. */
import type { Change, PlantClient, PlantVersion, StoredPlant } from '../../../src/client/client.ts';
import { announce, isSamePlant } from '../copy/changes.ts';
import { offerRestore, restorePlants } from '../many/bulk-actions.ts';
import { changedText } from '../session/reasons.ts';
import { toQuoted } from '../ui/plant-text.tsx';
import { showNotWritten } from '../session/show-failure.ts';
import { showToast } from '../session/toasts.tsx';

/**
 * Writes `plant` if the stored one is still the version `current`; undefined: if it is still deleted.
 * Resolves to whether it was written; if not, a message says why.
 */
export async function restorePlant(
  client: PlantClient,
  plant: StoredPlant,
  current: PlantVersion | undefined,
): Promise<boolean> {
  try {
    const { etag } = await client.put(
      plant.id,
      plant,
      current === undefined ? { createOnly: true } : { ifMatch: current.etag },
    );
    announce({ kind: 'stored', plant, isNew: current === undefined });
    showToast({
      text: `${toQuoted(plant.name)} restored.`,
      actions: [{ label: 'Undo', run: () => void undoChange(client, { plant, etag }, current?.plant) }],
    });
    return true;
  } catch (error) {
    const again = current === undefined ? 'There is a plant with this id again.' : undefined;
    showNotWritten(error, 'Restoring', 'The plant was not restored.', again);
    return false;
  }
}

const notUndone = 'The plant was not changed back.';

/** Writes what the version `done` replaced, if nobody has changed that since; undefined: deletes it. Messages say how it ends. */
export async function undoChange(
  client: PlantClient,
  done: PlantVersion,
  before: StoredPlant | undefined,
): Promise<void> {
  const { plant, etag } = done;
  try {
    if (before === undefined) {
      await client.delete(plant.id, { ifMatch: etag });
      announce({ kind: 'deleted', id: plant.id });
      offerRestore(client, plant);
    } else {
      await client.put(plant.id, before, { ifMatch: etag });
      announce({ kind: 'stored', plant: before, isNew: false });
      showToast({ text: `${toQuoted(before.name)} saved again.` });
    }
  } catch (error) {
    showNotWritten(error, 'Undoing', notUndone);
  }
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
    else showToast({ text: `${notUndone} ${changedText}`, isBad: true });
  } catch (error) {
    showNotWritten(error, 'Undoing', notUndone);
  }
}
