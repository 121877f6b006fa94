/** The history of the plant in the form: who changed what and when, and a button to restore each earlier state. */
import { useEffect, useState } from 'preact/hooks';
import { type Change, plantFields, type PlantVersion, type StoredPlant } from '../../../src/client/client.ts';
import { isSamePlant } from '../copy/changes.ts';
import { useSession } from '../session/session.ts';
import { useAction } from '../session/use-action.ts';
import { Ago } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { FieldText } from '../ui/field-text.tsx';
import { Author, Difference, toVerb } from '../copy/change-text.tsx';
import { restorePlants } from '../actions/bulk-actions.ts';
import { restorePlant } from '../actions/restore-plant.ts';
import { useChanges } from '../copy/use-changes.ts';

const pageSize = 20;

interface HistoryProps {
  readonly plantId: bigint;
  /** What is stored, as far as the form knows; undefined: deleted. */
  readonly stored: PlantVersion | undefined;
  readonly onLast?: (change: Change) => void;
}

export function PlantHistory({ plantId, stored, onLast }: HistoryProps) {
  const { client, canWrite } = useSession();
  const [isOpen, setOpen] = useState(stored === undefined);
  const { busy, run } = useAction();
  const { changes, error, more, isBusy } = useChanges(
    isOpen ? (before, signal) => client.historyPage(plantId, before?.next ?? { pageSize }, { signal }) : undefined,
    ({ id }) => id === plantId,
    plantId,
  );
  const [last] = changes ?? [];
  useEffect(() => last && onLast?.(last), [last]);
  const restore = (plant: StoredPlant): void =>
    void run('restore', 'Restoring', async () => {
      if (stored === undefined) await restorePlants(client, [plant]);
      else await restorePlant(client, plant, stored);
    });
  return (
    <details class="panel-more" open={isOpen} onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>History</summary>
      {error !== undefined && <p role="alert">{error}</p>}
      {changes?.length === 0 && <p>No changes are kept for this plant.</p>}
      <ol class="history" aria-busy={isOpen && changes === undefined}>
        {changes?.map((change, at) => {
          // Of a deletion, what was deleted.
          const plant = change.plant ?? change.before;
          const isGone = stored === undefined;
          // Of a deleted plant, only the last state: one button.
          const canRestore = canWrite && at > 0 !== isGone && !isSamePlant(plant, stored?.plant);
          return (
            <li key={change.position}>
              <p>
                <Author by={change.by} /> {toVerb(change)} it <Ago at={change.at} />
              </p>
              <Difference change={change} />
              {canRestore && plant !== undefined && (
                <Button
                  kind={isGone ? 'main' : 'quiet'}
                  icon="restore"
                  isBusy={busy !== undefined}
                  onClick={() => restore(plant)}
                >
                  {isGone ? 'Restore' : 'Restore this:'}
                  {isGone || plantFields.map((field) => [' ', <FieldText key={field} plant={plant} field={field} />])}
                </Button>
              )}
            </li>
          );
        })}
      </ol>
      {more !== undefined && (
        <Button isBusy={isBusy} onClick={more}>
          Show older
        </Button>
      )}
    </details>
  );
}
