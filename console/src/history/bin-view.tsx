/** The bin: deleted plants, newest first, and a button to restore each, or all that a batch deleted. */
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PlantClient } from '../../../src/client/client.ts';
import { restorePlants, undoDeletion } from '../plants/bulk-actions.ts';
import { onAnnounced } from '../plants/changes.ts';
import { plantLink } from '../plants/toolbar.tsx';
import type { Session } from '../session/session.ts';
import { Ago } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { Notice, ScopeNotice } from '../ui/notice.tsx';
import { toGrouped } from '../ui/numbers.ts';
import { PlantName, TagChip, toQuoted } from '../ui/plant-text.tsx';
import { Author } from './change-text.tsx';
import { type Deletion, readDeleted, toDeletions } from './deleted-plants.ts';
import { useChanges } from './use-changes.ts';

/** Lines to show at once. */
const linesMax = 100;
/** Plants of a batch whose names are shown. */
const namedMax = 3;

export function BinView({ current }: { readonly current: Session }) {
  return (
    <section class="view view-bin" aria-labelledby="bin-title">
      {current.canRead ? (
        <Bin current={current} />
      ) : (
        <>
          <header class="view-head">
            <h1 id="bin-title">Bin</h1>
          </header>
          <ScopeNotice needs="plants:read" what="read plants" />
        </>
      )}
    </section>
  );
}

function Bin({ current }: { readonly current: Session }) {
  const { client } = current;
  const sinceRead = useRef(noNews);
  const { changes, error, more, reload, edition } = useChanges(
    (next, signal) => {
      if (next === undefined) sinceRead.current = noNews;
      return readDeleted(client, next, signal);
    },
    undefined,
    client,
  );
  const news = useNews(edition, sinceRead);
  useEffect(() => onAnnounced(({ kind }) => kind === 'many' && reload()), []);
  const [search, setSearch] = useState('');
  const [lines, setLines] = useState(linesMax);
  const deletions = toDeletions(changes ?? [], search);
  const plants = deletions.reduce((sum, each) => sum + each.plants.length, 0);
  const isCut = deletions.length > lines;
  const showMore = isCut || more !== undefined ? () => (setLines(lines + linesMax), isCut || more?.()) : undefined;
  return (
    <>
      <header class="view-head">
        <h1 id="bin-title">Bin</h1>
        <p class="count" role="status">
          {changes === undefined
            ? error === undefined && 'Loading…'
            : `${toGrouped(plants)}${more === undefined ? '' : '+'} deleted ${plants === 1 ? 'plant' : 'plants'}${search === '' ? '' : ' found'}`}
        </p>
        {news.deleted.size > 0 && (
          <button type="button" class="waiting" onClick={reload}>
            {news.deleted.size} deleted elsewhere
          </button>
        )}
        <Search value={search} onInput={setSearch} />
      </header>
      {changes?.length === 0 && more === undefined ? (
        <Notice icon="bin" title="The bin is empty">
          <p>
            Deleted plants appear here. They can be restored as long as their changes are kept, usually for 30 days.
          </p>
        </Notice>
      ) : (
        <div class="bin scroll" tabIndex={0} role="region" aria-label="Deleted plants">
          {error !== undefined && (
            <div class="inline-alert" role="alert">
              <p>Could not load the bin. {error}</p>
              <Button onClick={reload}>Try again</Button>
            </div>
          )}
          <Deletions
            client={current.canWrite ? current.client : undefined}
            deletions={deletions.slice(0, lines)}
            hasMore={more !== undefined}
            existing={news.existing}
          />
          {showMore !== undefined && <Button onClick={showMore}>Show older</Button>}
        </div>
      )}
    </>
  );
}

function Search({ value, onInput }: { readonly value: string; readonly onInput: (text: string) => void }) {
  const id = useId();
  return (
    <div class="search" role="search">
      <label class="for-readers" for={id}>
        Search the bin by name or id
      </label>
      <Icon name="search" />
      <input
        id={id}
        class="input"
        type="search"
        placeholder="Name or id"
        autocomplete="off"
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}

interface DeletionsProps {
  /** Undefined: the token cannot restore. */
  readonly client: PlantClient | undefined;
  readonly deletions: readonly Deletion[];
  /** Whether older deletions are not read yet: the last batch may have more. */
  readonly hasMore: boolean;
  readonly existing: News['existing'];
}

function Deletions({ client, deletions, hasMore, existing }: DeletionsProps) {
  const list = useRef<HTMLOListElement>(null);
  const [busy, setBusy] = useState<string | undefined>(undefined);
  const restoredAt = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    const at = restoredAt.current;
    const rows = list.current?.children;
    if (at === undefined || rows === undefined || rows.length === 0) return;
    restoredAt.current = undefined;
    // The row is gone: the focus goes to the one that takes its place.
    (rows[at] ?? rows[at - 1])?.querySelector<HTMLElement>('a, .button')?.focus();
  }, [deletions.length]);
  const restore = async (deletion: Deletion): Promise<void> => {
    if (client === undefined || busy !== undefined) return;
    const { plants, group, newest } = deletion;
    setBusy(newest.position);
    restoredAt.current = deletions.indexOf(deletion);
    const isDone = await (plants.length > 1 && group !== undefined
      ? undoDeletion(client, group, plants.length)
      : restorePlants(client, plants));
    if (!isDone) restoredAt.current = undefined;
    setBusy(undefined);
  };
  return (
    <ol class="deletions" ref={list}>
      {deletions.map((deletion, index) => {
        const { newest, plants } = deletion;
        const [plant] = plants;
        if (plant === undefined) return null;
        const isBack = plants.length === 1 && existing.has(plant.id);
        const isCut = hasMore && index === deletions.length - 1;
        const count = toGrouped(plants.length);
        return (
          <li key={newest.position} class={isBack ? 'deletion is-gone' : 'deletion'}>
            {plants.length > 1 ? (
              <>
                <p class="deletion-name">
                  {count}
                  {isCut && '+'} plants
                </p>
                <p class="deletion-more deletion-names cut soft">
                  {plants
                    .slice(0, namedMax)
                    .map(({ name }) => toQuoted(name))
                    .join(', ')}
                  {plants.length > namedMax && ', …'}
                </p>
              </>
            ) : (
              <>
                <a class="deletion-name cut" {...plantLink(plant.id)}>
                  <PlantName name={plant.name} />
                </a>
                <p class="deletion-more">
                  <span class="deletion-id">{String(plant.id)}</span> <TagChip tag={plant.tag} />
                </p>
              </>
            )}
            <p class="deletion-by">
              {isBack ? (
                'Exists again'
              ) : (
                <>
                  <Author by={newest.by} /> <Ago at={newest.at} />
                </>
              )}
            </p>
            {client !== undefined && (
              <Button
                icon="restore"
                disabled={isBack}
                isBusy={busy === newest.position}
                onClick={() => void restore(deletion)}
              >
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
