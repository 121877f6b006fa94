/** The lines of the bin: a deleted plant, or all that one batch deleted, each with a button to restore it. */
import type { PlantClient } from '../../../src/client/client.ts';
import { restorePlants, undoDeletion } from '../many/bulk-actions.ts';
import { useAction } from '../session/use-action.ts';
import { Ago } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { toGrouped } from '../ui/numbers.ts';
import { PlantName, TagChip, toQuoted } from '../ui/plant-text.tsx';
import { Author } from './change-text.tsx';
import type { Deletion } from './deleted-plants.ts';
import { JoinedLines, PlantLink } from './joined-lines.tsx';
import type { useStill } from './use-still.ts';

/** Plants of a batch whose names are shown. */
const namedMax = 3;

interface ListProps {
  /** Undefined: the token cannot restore. */
  readonly client: PlantClient | undefined;
  readonly deletions: readonly Deletion[];
  /** The last that is read, if older deletions are not: its batch may have more. */
  readonly cutId: bigint | undefined;
  /** What the list listens to. */
  readonly events: ReturnType<typeof useStill>['events'];
  readonly onRestored: () => void;
}

export function DeletionList({ client, deletions, cutId, events, onRestored }: ListProps) {
  const { busy, run } = useAction(onRestored);
  const restore = (by: PlantClient, { key, plants }: Deletion): void =>
    void run(key, 'Restoring', () => (plants.length > 1 ? undoDeletion(by, key) : restorePlants(by, plants)));
  return (
    <ol class="deletions" {...events}>
      {deletions.map((deletion) => {
        const { key, newest, plants } = deletion;
        const [plant] = plants;
        if (plant === undefined) return null;
        const isCut = cutId !== undefined && plants.at(-1)?.id === cutId;
        const count = toGrouped(plants.length);
        return (
          <li key={key} class="deletion">
            {plants.length > 1 ? (
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
            {client !== undefined && (
              <Button icon="restore" isBusy={busy === key} onClick={() => restore(client, deletion)}>
                Restore
                {plants.length > 1 ? (
                  ` all${isCut ? '' : ` ${count}`}`
                ) : (
                  <span class="for-readers"> {toQuoted(plant.name)}</span>
                )}
              </Button>
            )}
          </li>
        );
      })}
    </ol>
  );
}
