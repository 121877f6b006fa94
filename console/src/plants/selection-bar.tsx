/** Actions on the selected plants. Shown while there are any. */
import { useState } from 'preact/hooks';
import { useValue } from '../observable.ts';
import { navigate } from '../route.ts';
import type { Session } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { deletePlants } from './delete-plants.ts';
import { clearSelection, selection, selectionMax } from './selection.ts';

interface BarProps {
  readonly current: Session;
  /** Absent when all are selected. */
  readonly onSelectAll: (() => void) | undefined;
}

export function SelectionBar({ current, onSelectAll }: BarProps) {
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
        <b>{selected.size}</b> selected{selected.size === selectionMax && ' (maximum)'}
      </p>
      {onSelectAll !== undefined && selected.size < selectionMax && (
        <Button kind="quiet" onClick={onSelectAll}>
          Select all
        </Button>
      )}
      <Button icon="label" onClick={() => navigate({ view: 'labels', ids: [...selected.keys()], plant: undefined })}>
        Labels
      </Button>
      <Button
        icon="bin"
        disabled={!current.canWrite}
        isBusy={isBusy}
        {...(current.canWrite ? {} : { label: 'Delete: needs the scope plants:write' })}
        onClick={() => void remove()}
      >
        Delete
      </Button>
      <Button kind="quiet" icon="close" label="Clear the selection" onClick={clearSelection} />
    </div>
  );
}
