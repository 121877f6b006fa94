/** The bin: deleted plants, newest first, and a button to restore each. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Change, PlantClient } from '../../../src/client/client.ts';
import { type Announcement, onAnnounced } from '../plants/changes.ts';
import { plantLink } from '../plants/toolbar.tsx';
import type { Session } from '../session/session.ts';
import { Ago } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { Notice, ScopeNotice } from '../ui/notice.tsx';
import { PlantName, TagChip, toQuoted } from '../ui/plant-text.tsx';
import { Author } from './change-text.tsx';
import { readDeleted } from './deleted-plants.ts';
import { restorePlant } from './restore-plant.ts';
import { useChanges } from './use-changes.ts';

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
  const shown = changes?.filter(({ id }) => news.existing.get(id) !== 'own');
  return (
    <>
      <header class="view-head">
        <h1 id="bin-title">Bin</h1>
        {news.deleted.size > 0 && (
          <button type="button" class="waiting" onClick={reload}>
            {news.deleted.size} deleted elsewhere
          </button>
        )}
      </header>
      {shown?.length === 0 && more === undefined ? (
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
          {changes === undefined && error === undefined && <p class="count">Loading…</p>}
          <Deletions
            client={current.canWrite ? current.client : undefined}
            changes={shown ?? []}
            existing={news.existing}
          />
          {more !== undefined && <Button onClick={more}>Show older</Button>}
        </div>
      )}
    </>
  );
}

interface DeletionsProps {
  /** Undefined: the token cannot restore. */
  readonly client: PlantClient | undefined;
  readonly changes: readonly Change[];
  readonly existing: News['existing'];
}

function Deletions({ client, changes, existing }: DeletionsProps) {
  const list = useRef<HTMLOListElement>(null);
  const [busyId, setBusyId] = useState<bigint | undefined>(undefined);
  const restore = async ({ id, before }: Change): Promise<void> => {
    if (client === undefined || before === undefined || busyId !== undefined) return;
    const at = changes.findIndex((change) => change.id === id);
    setBusyId(id);
    const isDone = await restorePlant(client, before, undefined);
    setBusyId(undefined);
    // The row is gone: the focus goes to the one that takes its place.
    const rows = list.current?.children;
    if (isDone) setTimeout(() => (rows?.[at] ?? rows?.[at - 1])?.querySelector('a')?.focus());
  };
  return (
    <ol class="deletions" ref={list}>
      {changes.map((change) => {
        const isBack = existing.has(change.id);
        const { name = '', tag } = change.before ?? {};
        return (
          <li key={change.position} class={isBack ? 'deletion is-gone' : 'deletion'}>
            <a class="deletion-name cut" {...plantLink(change.id)}>
              <PlantName name={name} />
            </a>
            <p class="deletion-more">
              <span class="deletion-id">{String(change.id)}</span> <TagChip tag={tag} />
            </p>
            <p class="deletion-by">
              {isBack ? (
                'Exists again'
              ) : (
                <>
                  <Author by={change.by} /> <Ago at={change.at} />
                </>
              )}
            </p>
            {client !== undefined && (
              <Button
                icon="restore"
                disabled={isBack}
                isBusy={busyId === change.id}
                onClick={() => void restore(change)}
              >
                Restore<span class="for-readers"> {toQuoted(name)}</span>
              </Button>
            )}
          </li>
        );
      })}
    </ol>
  );
}

interface News {
  /** Plants that exist again, and whether this page created them. */
  readonly existing: ReadonlyMap<bigint, 'own' | 'other'>;
  /** Plants that others deleted. */
  readonly deleted: ReadonlySet<bigint>;
}

const noNews: News = { existing: new Map(), deleted: new Set() };

/** What happened since the read of the list began: the list may be older. @param sinceRead the same for the newest read, also while it runs. */
function useNews(edition: number, sinceRead: { current: News }): News {
  const [news, setNews] = useState(noNews);
  useEffect(() => {
    setNews(sinceRead.current);
    return onAnnounced((announcement) => {
      const events = toEvents(announcement);
      sinceRead.current = withEvents(sinceRead.current, events);
      setNews((before) => withEvents(before, events));
    });
  }, [edition]);
  return news;
}

function withEvents(before: News, events: readonly Event[]): News {
  const existing = new Map(before.existing);
  const deleted = new Set(before.deleted);
  for (const [id, isDeleted, isOwn] of events) {
    if (isOwn && isDeleted) existing.delete(id);
    else if (!isDeleted) existing.set(id, isOwn ? 'own' : 'other');
    if (!isOwn && isDeleted) deleted.add(id);
    else if (!isOwn) deleted.delete(id);
  }
  return { existing, deleted };
}

/** Id, whether it was deleted, and whether by this page. */
type Event = readonly [bigint, boolean, boolean];

function toEvents(announcement: Announcement): readonly Event[] {
  if (announcement.kind === 'deleted') return [[announcement.id, true, true]];
  if (announcement.kind === 'stored') return [[announcement.plant.id, false, true]];
  if (announcement.kind !== 'logged') return [];
  return announcement.changes
    .filter(({ isOwn, kind }) => !isOwn && kind !== 'replaced')
    .map(({ id, kind }) => [id, kind === 'deleted', false]);
}
