/** The bin: deleted plants, newest first, and a button to restore each, or all that a batch deleted. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { onAnnounced } from '../copy/changes.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { FilterField } from '../ui/filter-field.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Notice } from '../session/notice.tsx';
import { View } from '../session/view.tsx';
import { toGrouped } from '../ui/numbers.ts';
import { readDeleted, toDeletions } from './deleted-plants.ts';
import { DeletionList } from './deletion-list.tsx';
import { useChanges } from './use-changes.ts';

/** Lines to show at once. */
const linesMax = 100;
const keptText = 'They can be restored as long as their changes are kept, usually for 30 days.';

export function BinView() {
  const { client, canWrite } = useSession();
  const sinceRead = useRef(noNews);
  const [search, setSearch] = useState('');
  const [lines, setLines] = useState(linesMax);
  const { changes, error, more, reload, edition } = useChanges(
    (before, signal) => {
      if (before === undefined) sinceRead.current = noNews;
      return readDeleted(client, search, lines, before, signal);
    },
    undefined,
    client,
  );
  const news = useNews(edition, sinceRead);
  useEffect(() => onAnnounced(({ kind }) => kind === 'many' && reload()), []);
  const deletions = toDeletions(changes ?? [], search);
  const plants = deletions.reduce((sum, each) => sum + each.plants.length, 0);
  const isCut = deletions.length > lines;
  const showMore = isCut || more !== undefined ? () => (setLines(lines + linesMax), isCut || more?.()) : undefined;
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
          {news.deleted.size > 0 && (
            <button type="button" class="waiting" onClick={reload}>
              {news.deleted.size} deleted elsewhere
            </button>
          )}
          <FilterField label="Only deleted plants with this name or id" value={search} onInput={setSearch} />
        </>
      }
    >
      {changes?.length === 0 && more === undefined ? (
        <Notice icon="bin" title="The bin is empty">
          <p>Deleted plants appear here. {keptText}</p>
        </Notice>
      ) : (
        <div class="bin scroll" tabIndex={0} role="region" aria-label="Deleted plants">
          {error !== undefined && <LoadFailed what="the bin" reason={error} onRetry={reload} />}
          {deletions.length > 0 && <p class="soft">{keptText}</p>}
          <DeletionList
            client={canWrite ? client : undefined}
            deletions={deletions.slice(0, lines)}
            cutId={more && changes?.at(-1)?.id}
            existing={news.existing}
          />
          {showMore !== undefined && <Button onClick={showMore}>Show older</Button>}
        </div>
      )}
    </View>
  );
}

interface News {
  /** Plants that others created again. */
  readonly existing: ReadonlySet<bigint>;
  /** Plants that others deleted. */
  readonly deleted: ReadonlySet<bigint>;
}

const noNews: News = { existing: new Set(), deleted: new Set() };

/** What others did since the read of the list began: the list may be older. @param sinceRead the same for the newest read, also while it runs. */
function useNews(edition: number, sinceRead: { current: News }): News {
  const [news, setNews] = useState(noNews);
  useEffect(() => {
    setNews(sinceRead.current);
    return onAnnounced((announcement) => {
      if (announcement.kind !== 'logged') return;
      const changes = announcement.changes.filter(({ isOwn, kind }) => !isOwn && kind !== 'replaced');
      const add = (before: News): News => {
        const [existing, deleted] = [new Set(before.existing), new Set(before.deleted)];
        for (const { id, kind } of changes) {
          const isDeleted = kind === 'deleted';
          (isDeleted ? deleted : existing).add(id);
          if (!isDeleted) deleted.delete(id);
        }
        return { existing, deleted };
      };
      sinceRead.current = add(sinceRead.current);
      setNews(add);
    });
  }, [edition]);
  return news;
}
