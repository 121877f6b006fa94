/** Messages about a plant that was saved or not, for every place where it can be edited. */
import { undoChange } from '../actions/restore-plant.ts';
import { navigate, viewChange } from '../route.ts';
import { currentSession } from '../session/session.ts';
import { toQuoted } from '../ui/plant-text.tsx';
import { showToast, type ToastAction } from '../session/toasts.tsx';
import type { Saved } from './save-plant.ts';

export function tellSaved({ plant, isNew, isMerged, undo }: Saved): void {
  const current = currentSession();
  // It may have ended before the response came.
  if (current === undefined) return;
  const { client, canRead } = current;
  const name = toQuoted(plant.name);
  const putBack = undo && {
    label: 'Undo',
    run: () => void undoChange(client, { plant, etag: undo.etag }, undo.before),
  };
  const action = isNew && canRead ? toOpen(plant.id) : putBack;
  const text = isNew
    ? `${plant.id} ${name} added.`
    : `${name} saved.${isMerged ? ' Newer changes to other fields were kept.' : ''}`;
  showToast({ text, ...(action === undefined ? {} : { actions: [action] }) });
}

/** @param text what was not saved, and why. */
export function tellUnsaved(text: string, key: bigint | 'new', isBad = true): void {
  showToast({ text, isBad, actions: [toOpen(key)] });
}

function toOpen(key: bigint | 'new'): ToastAction {
  return { label: 'Open', run: () => navigate({ ...viewChange('plants'), plant: key }) };
}
