/** What can be done with the picked plants. Shown while there are any. */
import { useState } from 'preact/hooks';
import { useValue } from '../observable.ts';
import { navigate } from '../route.ts';
import type { Session } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { deletePlants } from './delete-plants.ts';
import { clearSelection, selection, selectionMax } from './selection.ts';

export function SelectionBar({ current }: { readonly current: Session }) {
  const selected = useValue(selection);
  const [isBusy, setBusy] = useState(false);
  if (selected.size === 0) return null;
  const remove = async (): Promise<void> => {
    setBusy(true);
    await deletePlants(current.client, [...selected.values()]);
    setBusy(false);
  };
  return (
    <div class="selection-bar" role="region" aria-label="Selected plants">
      <p aria-live="polite">
        <b>{selected.size}</b> selected{selected.size === selectionMax && ', which is the most'}
      </p>
      <Button icon="label" onClick={() => navigate({ view: 'labels', ids: [...selected.keys()], plant: undefined })}>
        Labels
      </Button>
      <Button
        icon="trash"
        disabled={!current.canWrite}
        isBusy={isBusy}
        {...(current.canWrite ? {} : { label: 'Delete: this token lacks the scope plants:write' })}
        onClick={() => void remove()}
      >
        Delete
      </Button>
      <Button kind="quiet" icon="close" label="Select none" onClick={clearSelection} />
    </div>
  );
}
