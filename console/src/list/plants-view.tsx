/** The list of plants: tools, count, rows, and what takes their place when there are none. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { announcements } from '../copy/changes.ts';
import { currentCopy } from '../copy/copy.ts';
import type { PlantCopy } from '../copy/plant-copy.ts';
import { CutLine, IdsMissing, ListFailed, NoPlant, NothingHere } from './list-notices.tsx';
import { ListCount } from './list-count.tsx';
import { useList } from './use-list.ts';
import { useValue } from '../observable.ts';
import { parseTypedIds } from '../parse-id.ts';
import { navigate, route, toFilter } from '../route.ts';
import { useSession } from '../session/session.ts';
import { commands } from '../ui/commands.ts';
import { ScopeNotice } from '../session/notice.tsx';
import { deletePlants, toTarget } from '../actions/bulk-actions.ts';
import { PlantGrid } from './plant-grid.tsx';
import { PrintedList } from './printed-list.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { picked, useSelection } from '../actions/picked-plants.ts';
import { ListActions, SearchField, TagFilter } from './toolbar.tsx';
import type { RecentPlant } from './use-active-row.ts';

/** How long a saved plant is highlighted, in milliseconds. */
const recentMs = 2_400;
const skeletonRows = 40;

interface ViewProps {
  /** Called when the list is complete, and its plants can be changed. */
  readonly onListed: () => void;
}

export function PlantsView({ onListed }: ViewProps) {
  const { canRead } = useSession();
  const copy = useValue(currentCopy);
  if (canRead && copy === undefined) return <PlantsFrame />;
  return (
    <section class="view" aria-labelledby="plants-title">
      {copy !== undefined ? (
        <PlantList copy={copy} onListed={onListed} />
      ) : (
        <>
          <header class="list-head">
            <h1 id="plants-title">Plants</h1>
            <ListActions source={{}} total={undefined} />
          </header>
          <ScopeNotice needs="plants:read" />
        </>
      )}
    </section>
  );
}

export function PlantsFrame() {
  return (
    <section class="view">
      <header class="list-head">
        <h1>Plants</h1>
      </header>
      <Skeletons />
    </section>
  );
}

function Skeletons() {
  return (
    <div class="grid" role="grid" aria-label="Plants" aria-busy="true">
      <div class="grid-body" role="rowgroup">
        {Array.from({ length: skeletonRows }, (_, index) => (
          <div key={index} class="row row-skeleton" role="row">
            <span role="gridcell" class="cell-pick" />
            <span role="gridcell" class="cell-id">
              <i class="bone" />
            </span>
            <span role="gridcell" class="cell-name">
              <i class="bone bone-long" />
            </span>
          </div>
        ))}
      </div>
    </div>
  );
}

function PlantList({ copy, onListed }: ViewProps & { readonly copy: PlantCopy }) {
  const { client, canWrite } = useSession();
  const { search, tag, order, plant, noPlant } = useValue(route);
  const filter = toFilter({ search, tag });
  const selected = useSelection();
  const list = useList(copy, filter, order, selected.only);
  const { shown, isLoading, isCut, count } = list;
  useEffect(() => {
    if (canWrite && !isLoading) onListed();
  }, [canWrite, isLoading]);
  const ids = parseTypedIds(search);
  const missing = isLoading || isCut || selected.only !== undefined ? [] : ids.filter((id) => !shown.has(id));
  // The service knows no list of ids, nor what is shown alone.
  const isOfService = isCut || (selected.only === undefined && ids.length === 0);
  const recent = useRecent();
  const total = count === undefined ? undefined : BigInt(count);
  const isAllSelected = selected.filter !== undefined || (selected.ids.size > 0 && selected.ids.size === count);
  const isEmpty = shown.rows.length === 0;
  /** Arrow Down in the search came before the first row. */
  const isListWanted = useRef(false);
  useLayoutEffect(() => {
    if (isListWanted.current && !isEmpty)
      isListWanted.current =
        document.activeElement?.matches('[type=search]') === true && commands.focusList?.() !== true;
  });
  const selectAll = (): void => {
    if (isAllSelected) picked().clear();
    else if (isOfService && (isCut || isLoading)) picked().addAll(filter);
    else picked().add(shown.ids());
  };
  return (
    <>
      <header class="list-head">
        <h1 id="plants-title">Plants</h1>
        <ListCount list={list} />
        <div class="list-tools">
          <SearchField
            onEnter={() => openTyped(copy) || commands.focusList?.()}
            onDown={() => (isListWanted.current = commands.focusList?.() !== true)}
          />
          <TagFilter />
        </div>
        <ListActions total={total} source={isOfService ? filter : () => shown.plants()} />
      </header>
      {noPlant !== undefined && <NoPlant text={noPlant} />}
      {copy.state.error !== undefined && <ListFailed list={list} />}
      {isCut && <CutLine list={list} />}
      {missing.length > 0 && !isEmpty && <IdsMissing list={list} ids={missing} tag={tag} />}
      {isEmpty && copy.state.phase === 'failed' ? null : isEmpty && isLoading ? (
        <Skeletons />
      ) : isEmpty ? (
        <NothingHere list={list} ids={missing} search={search} tag={tag} />
      ) : (
        <PlantGrid
          list={list}
          openId={typeof plant === 'bigint' ? plant : undefined}
          recent={recent}
          isAllSelected={isAllSelected}
          onOpen={({ id }) => navigate({ plant: id })}
          onSelectAll={selectAll}
          onDelete={
            canWrite ? (plants) => deletePlants(client, toTarget(plants, total), shown.countSeen(plants)) : undefined
          }
        />
      )}
      {!isEmpty && <PrintedList list={list} />}
      {!selected.isEmpty && (
        <SelectionBar shown={shown} total={total} onSelectAll={isAllSelected ? undefined : selectAll} />
      )}
    </>
  );
}

/** Opens the plant whose id is typed into the search. Returns false if it is no id, or surely that of no plant. */
function openTyped({ state: { rows, isWhole } }: PlantCopy): boolean {
  // What is typed, which may not be rendered yet.
  const [id, other] = parseTypedIds(route.value.search);
  const isTyped = id !== undefined && other === undefined && (!isWhole || rows.has(id));
  if (isTyped) navigate({ plant: id });
  return isTyped;
}

/** The plant that was saved last, for a moment. */
function useRecent(): RecentPlant | undefined {
  const [recent, setRecent] = useState<RecentPlant | undefined>(undefined);
  useEffect(
    () =>
      announcements.add((announcement) => {
        if (announcement.kind === 'stored') setRecent(announcement);
      }),
    [],
  );
  useEffect(() => {
    const timer = setTimeout(() => setRecent(undefined), recentMs);
    return () => clearTimeout(timer);
  }, [recent]);
  return recent;
}
