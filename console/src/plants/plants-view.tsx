/** The list of plants: toolbar, count, rows, and what is said when there are none. */
import { useEffect, useState } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import { useValue } from '../observable.ts';
import { parseId } from '../parse-id.ts';
import { navigate, route } from '../route.ts';
import { noteError, type Session } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Notice, ScopeNotice } from '../ui/notice.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { PlantName, TagChip } from '../ui/plant-text.tsx';
import { onAnnounced } from './changes.ts';
import { toFilter } from './filter.ts';
import { PlantGrid } from './plant-grid.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { tally } from './tags.ts';
import { Toolbar } from './toolbar.tsx';
import { type ShownList, usePlantWindow } from './use-plant-window.ts';

export function PlantsView({ current }: { readonly current: Session }) {
  return (
    <section class="view view-plants" aria-labelledby="plants-title">
      <header class="view-head">
        <h1 id="plants-title">Plants</h1>
        <Toolbar canWrite={current.canWrite} />
      </header>
      {current.canRead ? <PlantList current={current} /> : <ScopeNotice needs="plants:read" what="read plants" />}
    </section>
  );
}

function PlantList({ current }: { readonly current: Session }) {
  // A cut that "many" changes make: the list is begun anew.
  const [edition, setEdition] = useState(0);
  useEffect(() => onAnnounced((change) => change.kind === 'many' && setEdition((count) => count + 1)), []);
  return <PlantListEdition key={edition} current={current} />;
}

function PlantListEdition({ current }: { readonly current: Session }) {
  const { search, tag, plant } = useValue(route);
  const list = usePlantWindow(current.client, toFilter({ search, tag }));
  const match = useIdMatch(current, search);
  const { plants } = list;
  const isEmpty = plants.isStarted && plants.rowCount === 0;
  return (
    <>
      <p class="count" role="status">
        <Count list={list} hasMatch={match !== undefined} />
      </p>
      {match !== undefined && <IdMatch plant={match} />}
      {plants.error !== undefined && plants.isStarted && <MoreFailed list={list} />}
      {plants.error !== undefined && !plants.isStarted ? (
        <ListFailed list={list} />
      ) : isEmpty ? (
        match === undefined && <NothingHere current={current} search={search} tag={tag} />
      ) : (
        <PlantGrid
          plants={plants}
          isStale={list.isStale}
          openId={typeof plant === 'bigint' ? plant : undefined}
          onOpen={({ id }) => navigate({ plant: id })}
        />
      )}
      <SelectionBar current={current} />
    </>
  );
}

/** How many plants there are: exact where that is known, otherwise how many at least. */
function Count({
  list: { plants, filter, isStale },
  hasMatch,
}: {
  readonly list: ShownList;
  readonly hasMatch: boolean;
}) {
  const known = useValue(tally);
  if (!plants.isStarted || isStale) return <span class="count-wait">Looking…</span>;
  const seen = plants.rowsDropped + plants.rowCount;
  if (hasMatch) return <span>One plant by its id{seen > 0 && `, ${toCount(seen, 'name')} that begin like this`}</span>;
  if (plants.isWhole) return <span>{toCount(seen, 'plant')}</span>;
  if (filter.name === undefined && known !== undefined) {
    const tagged = known.tags.find(({ tag }) => tag === filter.tag)?.plants;
    const total = filter.tag === undefined ? known.plants : tagged;
    if (total !== undefined && total >= BigInt(seen)) return <span>{toCount(total, 'plant')}</span>;
  }
  return <span>More than {toGrouped(seen)} plants</span>;
}

/** What is typed may be an id: then that plant is one step away, whatever the names say. */
function useIdMatch({ client }: Session, search: string): StoredPlant | undefined {
  const [found, setFound] = useState<StoredPlant | undefined>(undefined);
  const id = parseId(search.trim());
  useEffect(() => {
    setFound(undefined);
    if (id === undefined) return undefined;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      client.get(id, { signal: controller.signal }).then(
        (version) => setFound(version?.plant),
        (error: unknown) => {
          if (!controller.signal.aborted) noteError(error, 'read');
        },
      );
    }, 140);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [client, id]);
  useEffect(
    () =>
      onAnnounced((change) => {
        if (change.kind === 'deleted') setFound((plant) => (plant?.id === change.id ? undefined : plant));
        if (change.kind === 'stored') setFound((plant) => (plant?.id === change.plant.id ? change.plant : plant));
      }),
    [],
  );
  return found;
}

function IdMatch({ plant: { id, name, tag } }: { readonly plant: StoredPlant }) {
  return (
    <button type="button" class="id-match" onClick={() => navigate({ plant: id })}>
      <span class="id-match-head">Id {String(id)}</span>
      <PlantName name={name} />
      <TagChip tag={tag} />
    </button>
  );
}

function ListFailed({ list: { plants } }: { readonly list: ShownList }) {
  return (
    <Notice
      isAlert
      title="The list cannot be read"
      actions={
        <Button kind="main" onClick={() => plants.retry()}>
          Try again
        </Button>
      }
    >
      <p>{plants.error instanceof Error ? plants.error.message : 'Something went wrong.'}</p>
    </Notice>
  );
}

function MoreFailed({ list: { plants } }: { readonly list: ShownList }) {
  return (
    <div class="inline-alert" role="alert">
      <p>Not all plants could be read.</p>
      <Button onClick={() => plants.retry()}>Try again</Button>
    </div>
  );
}

interface NothingProps {
  readonly current: Session;
  readonly search: string;
  readonly tag: string | undefined;
}

function NothingHere({ current, search, tag }: NothingProps) {
  if (search !== '' || tag !== undefined) {
    return (
      <Notice
        title="No plant fits"
        actions={<Button onClick={() => navigate({ search: '', tag: undefined })}>Show all plants</Button>}
      >
        <p>The search compares the beginning of names, ignoring case and accents. An id is searched whole.</p>
      </Notice>
    );
  }
  return (
    <Notice
      title="No plants yet"
      actions={
        current.canWrite && (
          <>
            <Button kind="main" icon="plus" onClick={() => navigate({ plant: 'new' })}>
              New plant
            </Button>
            <Button icon="import" onClick={() => navigate({ view: 'import' })}>
              Import a file
            </Button>
          </>
        )
      }
    >
      <p>
        {current.canWrite
          ? 'Add the first one, or bring many from a CSV or NDJSON file.'
          : 'Plants appear here as soon as somebody adds one.'}
      </p>
    </Notice>
  );
}
