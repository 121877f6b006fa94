/** Deletes plants, says how that went, and offers to undo it. */
import type { PlantClient, StoredPlant } from '../../../src/client/client.ts';
import { Observable } from '../observable.ts';
import { toReason } from '../session/reasons.ts';
import { addFarewell, noteError } from '../session/session.ts';
import { toCount } from '../ui/numbers.ts';
import { toQuoted } from '../ui/plant-text.tsx';
import { showToast, type ToastAction } from '../ui/toasts.tsx';
import { deleteEach, restoreEach } from './delete-each.ts';

/** How far a deletion has come; undefined while none runs. */
export const deletion = new Observable<{ readonly done: number; readonly total: number } | undefined>(undefined);

/** Does nothing while another deletion runs. */
export async function deletePlants(client: PlantClient, plants: readonly StoredPlant[]): Promise<void> {
  if (deletion.value !== undefined) return;
  const total = plants.length;
  const { gone, changing, failure } = await deleteEach(client, plants, (done) => deletion.set({ done, total }));
  deletion.set(undefined);
  if (failure !== undefined)
    tellFailure(
      failure.error,
      `${toCount(failure.left, 'plant')} not deleted${failure.isUnsure ? ', or one less' : ''}.`,
    );
  if (changing > 0) {
    const text = `${toCount(changing, 'plant')} not deleted: someone else keeps changing ${changing === 1 ? 'it' : 'them'}.`;
    showToast({ text, isBad: true });
  }
  if (gone.length > 0) offerUndo(client, gone);
}

/** Says what was deleted, with a button to undo it. */
export function offerUndo(client: PlantClient, gone: readonly StoredPlant[]): void {
  showToast({
    text: `${toName(gone)} deleted`,
    actions: [{ label: 'Undo', run: () => void restore(client, gone) }],
  });
}

async function restore(client: PlantClient, plants: readonly StoredPlant[]): Promise<void> {
  const { taken, failure } = await restoreEach(client, plants);
  if (failure !== undefined) {
    const { error, left } = failure;
    const again = { label: 'Try again', run: () => void restore(client, left) };
    tellFailure(error, `${toCount(left.length, 'plant')} not restored.`, [again]);
  } else if (taken > 0)
    showToast({ text: `${toCount(taken, 'plant')} not restored: the id is in use again.`, isBad: true });
  else showToast({ text: `${toName(plants)} restored.` });
}

function tellFailure(error: unknown, text: string, actions: readonly ToastAction[] = []): void {
  noteError(error, 'write');
  showToast({ text: `${text} ${toReason(error)}`, isBad: true, actions });
  addFarewell(text);
}

function toName(plants: readonly StoredPlant[]): string {
  const [only] = plants;
  return plants.length === 1 && only !== undefined ? toQuoted(only.name) : `${plants.length} plants`;
}
