/** Actions on the selected plants. Shown while there are any, or some are being deleted. */
import { useValue } from '../observable.ts';
import { navigate } from '../route.ts';
import type { Session } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { deletePlants, deletion } from './delete-plants.ts';
import { selectionMax } from './picked-plants.ts';
import { picked, selection } from './selection.ts';

interface BarProps {
  readonly current: Session;
  /** Absent when all are selected. */
  readonly onSelectAll: (() => void) | undefined;
}

export function SelectionBar(props: BarProps) {
  const isShown = useValue(selection).size > 0 || useValue(deletion) !== undefined;
  return isShown ? <Bar {...props} /> : null;
}

function Bar({ current, onSelectAll }: BarProps) {
  const selected = useValue(selection);
  const running = useValue(deletion);
  const isBusy = running !== undefined;
  return (
    <div class="selection-bar" role="region" aria-label="Selected plants">
      {isBusy ? (
        <p>
          Deleting <b>{running.done + 1}</b> of {running.total}
        </p>
      ) : (
        <p aria-live="polite">
          <b>{selected.size}</b> selected{selected.size === selectionMax && ', the most at once'}
        </p>
      )}
      {onSelectAll !== undefined && selected.size < selectionMax && (
        <Button kind="quiet" disabled={isBusy} onClick={onSelectAll}>
          Select all
        </Button>
      )}
      <Button
        icon="label"
        disabled={isBusy}
        onClick={() => navigate({ view: 'labels', ids: [...selected.keys()], plant: undefined })}
      >
        Labels
      </Button>
      <Button
        icon="bin"
        disabled={!current.canWrite}
        isBusy={isBusy}
        {...(current.canWrite ? {} : { label: 'Delete: needs the scope plants:write' })}
        onClick={() => void deletePlants(current.client, [...selected.values()])}
      >
        Delete
      </Button>
      <Button kind="quiet" icon="close" label="Clear the selection" disabled={isBusy} onClick={() => picked.clear()} />
    </div>
  );
}
