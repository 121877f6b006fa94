/** A line of the bin: a deleted plant, or all that one batch deleted, with a button to restore it. */
import type { ComponentChildren } from 'preact';
import type { StoredPlant } from '../../../src/client/client.ts';
import { restorePlants, undoKind } from '../actions/bulk-actions.ts';
import { useSession } from '../session/session.ts';
import { useAction } from '../session/use-action.ts';
import { Ago } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { toGrouped } from '../ui/numbers.ts';
import { PlantName, toQuoted } from '../ui/plant-text.tsx';
import { Author } from '../copy/change-text.tsx';
import type { Deletion } from './deleted-plants.ts';
import { JoinedLines, PlantLink, PlantMore } from './joined-lines.tsx';

/** Plants of a batch whose names are shown. */
const namedMax = 3;

interface LineProps {
  readonly deletion: Deletion;
  /** There may be more of it, which was not read. */
  readonly isCut: boolean;
  readonly onRestored: () => void;
}

export function DeletionLine({ deletion, isCut, onRestored }: LineProps) {
  const { client } = useSession();
  const { key, newest } = deletion;
  const plants = deletion.plants.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const [plant] = plants;
  if (plant === undefined) return null;
  const count = toGrouped(plants.length);
  const toLine = (each: StoredPlant) => (
    <>
      <PlantLink plant={each} />
      <PlantMore {...each} />
      <RestoreButton key={each.id} restore={() => restorePlants(client, [each])} onRestored={onRestored}>
        Restore<span class="for-readers"> {toQuoted(each.name)}</span>
      </RestoreButton>
    </>
  );
  return (
    <li class="deletion">
      {plants.length > 1 ? (
        <>
          <JoinedLines
            summary={
              <>
                <b>{`${count}${isCut ? '+' : ''} plants`}</b>{' '}
                <span class="soft">
                  {plants.slice(0, namedMax).map(({ id, name }, at) => (
                    <span key={id}>
                      {at > 0 && ' · '}
                      <PlantName name={name} />
                    </span>
                  ))}
                  {plants.length > namedMax && ' · …'}
                </span>
              </>
            }
            items={plants}
            total={plants.length}
          >
            {toLine}
          </JoinedLines>
          <RestoreButton restore={() => undoKind(client, key, 'deleted')} onRestored={onRestored}>
            Restore all{!isCut && ` ${count}`}
          </RestoreButton>
        </>
      ) : (
        toLine(plant)
      )}
      <p class="deletion-by">
        <Author by={newest.by} /> <Ago at={newest.at} />
      </p>
    </li>
  );
}

interface RestoreProps {
  readonly onRestored: () => void;
  readonly restore: () => Promise<unknown>;
  readonly children: ComponentChildren;
}

export function RestoreButton({ restore, onRestored, children }: RestoreProps) {
  const { canWrite } = useSession();
  const { busy, run } = useAction(onRestored);
  if (!canWrite) return null;
  return (
    <Button icon="restore" isBusy={busy !== undefined} onClick={() => void run('restore', 'Restoring', restore)}>
      {children}
    </Button>
  );
}
