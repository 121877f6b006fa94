/** Deletes the plant of a form, unless it was changed since it was read. */
import type { PlantClient, PlantVersion } from '../../../src/client/client.ts';
import { announce } from '../copy/changes.ts';
import { offerRestore } from '../many/bulk-actions.ts';
import { writeDraft } from '../session/drafts.ts';
import { changedText, isChangedMeanwhile } from '../session/reasons.ts';
import { showNotWritten } from '../session/show-failure.ts';
import { showToast } from '../session/toasts.tsx';
import { toQuoted } from '../ui/plant-text.tsx';
import { tellUnsaved } from './tell-saved.ts';

/** Messages say how it ends. @param onChanged called if it was changed since: the form is to show what it is now. */
export async function deletePlant(
  client: PlantClient,
  { plant, etag }: PlantVersion,
  { onDeleted, onChanged }: { readonly onDeleted: () => void; readonly onChanged: () => void },
): Promise<void> {
  try {
    const isOurs = await client.delete(plant.id, { ifMatch: etag });
    writeDraft(String(plant.id), undefined);
    announce({ kind: 'deleted', id: plant.id });
    onDeleted();
    if (isOurs) offerRestore(client, plant);
    else showToast({ text: 'The plant was already deleted.' });
  } catch (error) {
    const name = toQuoted(plant.name);
    if (isChangedMeanwhile(error)) {
      tellUnsaved(`${name} was not deleted. ${changedText} Check what it is now.`, plant.id);
      onChanged();
    } else showNotWritten(error, `Deleting ${name}`, `${name} was not deleted.`);
  }
}
