/** The bin: deleted plants, newest first, and a button to restore each, or all that a batch deleted. */
import { useEffect, useState } from 'preact/hooks';
import { restorePlants } from '../actions/bulk-actions.ts';
import { useValue } from '../observable.ts';
import { navigate, route } from '../route.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { FilterField } from '../ui/filter-field.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Notice } from '../session/notice.tsx';
import { View } from '../ui/view.tsx';
import { toGrouped } from '../ui/numbers.ts';
import { readDeleted, toDeletions } from './deleted-plants.ts';
import { DeletionLine, RestoreButton } from './deletion-line.tsx';
import { useChanges } from '../copy/use-changes.ts';
import { useStill } from './use-still.ts';

/** Lines at first, and more with each click: a search may find each plant of a batch. With fewer changes, older ones are read by themselves. */
const linesStep = 100;
const keptText = 'They can be restored as long as their changes are kept, usually for 30 days.';

const emptyBin = (
  <Notice icon="bin" title="The bin is empty">
    <p>Deleted plants appear here. {keptText}</p>
  </Notice>
);

/** What each line has is said by its words. */
const deletionHead = (
  <div class="deletion deletion-head" aria-hidden="true">
    <span>Name</span>
    <p class="deletion-more">
      <span class="deletion-id">Id</span> Tag
    </p>
    <p class="deletion-by">Deleted</p>
  </div>
);

export function BinView() {
  const { client } = useSession();
  const { search } = useValue(route);
  const [lines, setLines] = useState(linesStep);
  const { changes, error, more, isBusy, reload } = useChanges(
    (before, signal) => readDeleted(client, search, lines, before, signal),
    ({ kind }) => kind !== 'replaced',
    client,
  );
  const { shown, events, follow } = useStill(changes);
  const deletions = toDeletions(shown ?? [], search);
  const found = deletions.flatMap(({ plants }) => plants);
  const plants = found.length;
  const isSearch = search.trim() !== '';
  const isLoading = changes === undefined || (isBusy && plants === 0);
  const isCut = deletions.length > lines;
  const showMore = (): void => {
    setLines(lines + linesStep);
    if (!isCut) more?.();
  };
  useEffect(() => {
    // What was read may have none of them, or few: then it is known whether there are more.
    if (!isBusy && (isSearch ? plants === 0 : (changes?.length ?? 0) < linesStep)) more?.();
  }, [search, changes]);
  return (
    <View
      name="bin"
      head={
        <>
          <p class="count" role="status">
            {isLoading ? error === undefined && 'Loading…' : toCountText(plants, more !== undefined, search !== '')}
          </p>
          <FilterField
            label="Only deleted plants with this name or id"
            value={search}
            onInput={(text) => {
              follow();
              navigate({ search: text }, { replace: true });
            }}
          />
        </>
      }
    >
      {changes !== undefined && plants === 0 && search === '' && more === undefined ? (
        emptyBin
      ) : (
        <div class="bin scroll" tabIndex={0} role="region" aria-label="Deleted plants">
          {error !== undefined && <LoadFailed what="the bin" reason={error} onRetry={reload} />}
          {plants > 0 && <p class="soft">{keptText}</p>}
          {isSearch && plants > 1 && (
            <RestoreButton restore={() => restorePlants(client, found)} onRestored={follow}>
              Restore these {toGrouped(plants)}
            </RestoreButton>
          )}
          {plants > 0 && deletionHead}
          <ol class="deletions" {...events}>
            {deletions.slice(0, lines).map((each) => {
              const mayGoOn = more !== undefined && each.plants.at(-1)?.id === shown?.at(-1)?.id;
              return <DeletionLine key={each.key} deletion={each} isCut={mayGoOn} onRestored={follow} />;
            })}
          </ol>
          {(isCut || more !== undefined) && (
            <Button isBusy={isBusy} onClick={showMore}>
              Show older
            </Button>
          )}
        </div>
      )}
    </View>
  );
}

/** `118+ deleted plants found`. */
function toCountText(plants: number, hasMore: boolean, isSearch: boolean): string {
  const count = plants === 0 && hasMore ? 'No' : toGrouped(plants) + (hasMore ? '+' : '');
  return `${count} deleted ${count === '1' ? 'plant' : 'plants'}${isSearch || count === 'No' ? ' found' : ''}`;
}
