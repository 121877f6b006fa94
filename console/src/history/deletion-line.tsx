/** A line of the bin: a deleted plant, or all that one batch deleted, with a button to restore it. */
import { restorePlants, undoDeletion } from '../many/bulk-actions.ts';
import { useSession } from '../session/session.ts';
import { useAction } from '../session/use-action.ts';
import { Ago } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { toGrouped } from '../ui/numbers.ts';
import { PlantName, TagChip, toQuoted } from '../ui/plant-text.tsx';
import { Author } from './change-text.tsx';
import type { Deletion } from './deleted-plants.ts';
import { JoinedLines, PlantLink } from './joined-lines.tsx';

/** Plants of a batch whose names are shown. */
const namedMax = 3;

interface LineProps {
  readonly deletion: Deletion;
  /** There may be more of it, which was not read. */
  readonly isCut: boolean;
  readonly onRestored: () => void;
}

export function DeletionLine({ deletion: { key, newest, plants }, isCut, onRestored }: LineProps) {
  const { client, canWrite } = useSession();
  const { busy, run } = useAction(onRestored);
  const [plant] = plants;
  if (plant === undefined) return null;
  const isMany = plants.length > 1;
  const count = toGrouped(plants.length);
  const restore = () => (isMany ? undoDeletion(client, key) : restorePlants(client, plants));
  return (
    <li class="deletion">
      {isMany ? (
        <JoinedLines
          summary={
            <>
              <b>
                {count}
                {isCut && '+'} plants
              </b>{' '}
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
          {(each) => <PlantLink plant={each} />}
        </JoinedLines>
      ) : (
        <>
          <PlantLink plant={plant} />
          <p class="deletion-more">
            <span class="deletion-id">{String(plant.id)}</span> <TagChip tag={plant.tag} />
          </p>
        </>
      )}
      <p class="deletion-by">
        <Author by={newest.by} /> <Ago at={newest.at} />
      </p>
      {canWrite && (
        <Button icon="restore" isBusy={busy !== undefined} onClick={() => void run(key, 'Restoring', restore)}>
          Restore
          {isMany ? ` all${isCut ? '' : ` ${count}`}` : <span class="for-readers"> {toQuoted(plant.name)}</span>}
        </Button>
      )}
    </li>
  );
}
