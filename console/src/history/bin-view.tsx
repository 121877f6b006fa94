/** The bin: deleted plants, newest first, and a button to restore each, or all that a batch deleted. */
import { useEffect, useState } from 'preact/hooks';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { FilterField } from '../ui/filter-field.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Notice } from '../session/notice.tsx';
import { View } from '../ui/view.tsx';
import { toGrouped } from '../ui/numbers.ts';
import { readDeleted, toDeletions } from './deleted-plants.ts';
import { DeletionLine } from './deletion-line.tsx';
import { useChanges } from './use-changes.ts';
import { useStill } from './use-still.ts';

const keptText = 'They can be restored as long as their changes are kept, usually for 30 days.';

export function BinView() {
  const { client } = useSession();
  const [search, setSearch] = useState('');
  const { changes, error, more, reload } = useChanges(
    (before, signal) => readDeleted(client, search, before, signal),
    ({ kind }) => kind !== 'replaced',
    client,
  );
  const { shown, events, follow } = useStill(changes);
  const deletions = toDeletions(shown ?? [], search);
  const plants = deletions.reduce((sum, each) => sum + each.plants.length, 0);
  useEffect(() => {
    // Those that are read may have none of them.
    if (search.trim() !== '' && plants === 0) more?.();
  }, [search, changes]);
  const count = plants === 0 && more !== undefined ? 'No' : toGrouped(plants) + (more === undefined ? '' : '+');
  return (
    <View
      name="bin"
      head={
        <>
          <p class="count" role="status">
            {changes === undefined
              ? error === undefined && 'Loading…'
              : `${count} deleted ${plants === 1 ? 'plant' : 'plants'}${search === '' && count !== 'No' ? '' : ' found'}`}
          </p>
          <FilterField
            label="Only deleted plants with this name or id"
            value={search}
            onInput={(text) => {
              follow();
              setSearch(text);
            }}
          />
        </>
      }
    >
      {changes !== undefined && plants === 0 && search === '' && more === undefined ? (
        <Notice icon="bin" title="The bin is empty">
          <p>Deleted plants appear here. {keptText}</p>
        </Notice>
      ) : (
        <div class="bin scroll" tabIndex={0} role="region" aria-label="Deleted plants">
          {error !== undefined && <LoadFailed what="the bin" reason={error} onRetry={reload} />}
          {deletions.length > 0 && <p class="soft">{keptText}</p>}
          <ol class="deletions" {...events}>
            {deletions.map((each) => {
              const isCut = more !== undefined && each.plants.at(-1)?.id === shown?.at(-1)?.id;
              return <DeletionLine key={each.key} deletion={each} isCut={isCut} onRestored={follow} />;
            })}
          </ol>
          {more !== undefined && <Button onClick={more}>Show older</Button>}
        </div>
      )}
    </View>
  );
}
