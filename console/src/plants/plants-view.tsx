/** The list of plants: tools, count, rows, and what takes their place when there are none. */
import { useEffect, useState } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import { useValue } from '../observable.ts';
import { navigate, route, toFilter } from '../route.ts';
import { toReason } from '../session/reasons.ts';
import { noteError, type Session, session } from '../session/session.ts';
import { ScopeNotice } from '../ui/notice.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { PlantName, TagChip } from '../ui/plant-text.tsx';
import { showToast } from '../ui/toasts.tsx';
import { onAnnounced } from '../copy/changes.ts';
import { deletePlants, toTarget } from './bulk-actions.ts';
import { ListFailed, MoreFailed, NoPlant, NothingHere } from './list-notices.tsx';
import { PlantGrid, type RecentPlant } from './plant-grid.tsx';
import { SkeletonRow } from './plant-row.tsx';
import { skeletonRows } from './plant-window.ts';
import { SelectionBar } from './selection-bar.tsx';
import { selectionMax } from './picked-plants.ts';
import { picked, selection } from './selection.ts';
import { ListCount } from './list-count.tsx';
import { ListActions, ListTools } from './toolbar.tsx';
import { useIdMatch } from './use-id-match.ts';
import { type ShownList, usePlantWindow } from './use-plant-window.ts';

/** How long a saved plant is highlighted, in milliseconds. */
const recentMs = 2_400;

export function PlantsView({ current }: { readonly current: Session }) {
  return (
    <section class="view" aria-labelledby="plants-title">
      {current.canRead ? (
        <PlantList current={current} />
      ) : (
        <>
          <header class="list-head">
            <h1 id="plants-title">Plants</h1>
            <ListActions canWrite={current.canWrite} />
          </header>
          <ScopeNotice needs="plants:read" what="read plants" />
        </>
      )}
    </section>
  );
}

/** What the view looks like before anything is known. */
export function PlantsFrame() {
  return (
    <section class="view">
      <header class="list-head">
        <h1>Plants</h1>
      </header>
      <div class="grid" role="grid">
        <div class="grid-body" role="rowgroup">
          {Array.from({ length: skeletonRows }, (_, index) => (
            <SkeletonRow key={index} index={index} rowIndex={index + 1} />
          ))}
        </div>
      </div>
    </section>
  );
}

function PlantList({ current }: { readonly current: Session }) {
  const { search, tag, order, plant, noPlant } = useValue(route);
  const filter = toFilter({ search, tag });
  const list = usePlantWindow(current.client, filter, order);
  const match = useIdMatch(current, search);
  const total = list.count === undefined ? undefined : BigInt(list.count);
  const recent = useRecent();
  const isAllSelected = useIsAllSelected(total);
  const { plants } = list;
  const isFailed = plants.error !== undefined && !plants.isStarted;
  const isEmpty = plants.isWhole && plants.rowCount === 0;

  const selectFiltered = async (): Promise<void> => {
    if (isAllSelected) {
      picked.clear();
      return;
    }
    try {
      const { items, next } = await current.client.listPage({ ...filter, pageSize: selectionMax });
      // Another filter may have been chosen meanwhile, or the session have ended.
      if (route.value.search !== search || route.value.tag !== tag || session.value !== current) return;
      if (next === undefined) picked.add(items);
      else picked.addAll();
    } catch (error) {
      noteError(error, 'read');
      showToast({ text: `The plants were not selected. ${toReason(error)}`, isBad: true });
    }
  };
  return (
    <>
      <header class="list-head">
        <h1 id="plants-title">Plants</h1>
        <ListCount list={list} count={isFailed ? '' : toCountText(list, match.plant !== undefined, total)} />
        <ListTools onEnter={() => match.open() || focusList()} onDown={focusList} />
        <ListActions canWrite={current.canWrite} total={total} />
      </header>
      {match.plant !== undefined && <IdMatch plant={match.plant} />}
      {noPlant !== undefined && <NoPlant text={noPlant} />}
      {plants.error !== undefined && plants.isStarted && <MoreFailed list={list} />}
      {isFailed ? (
        <ListFailed list={list} />
      ) : isEmpty ? (
        match.plant === undefined && <NothingHere current={current} search={search} tag={tag} />
      ) : (
        <PlantGrid
          list={list}
          current={current}
          openId={typeof plant === 'bigint' ? plant : undefined}
          recent={recent}
          isAllSelected={isAllSelected}
          onOpen={({ id }) => navigate({ plant: id })}
          onSelectAll={selectFiltered}
          onDelete={current.canWrite ? (chosen) => deletePlants(current.client, toTarget(chosen, total)) : undefined}
        />
      )}
      <SelectionBar
        current={current}
        total={total}
        onSelectAll={isAllSelected ? undefined : () => void selectFiltered()}
      />
    </>
  );
}

/** Moves the focus to the row in the tab order. Returns whether there is one. */
export function focusList(): boolean {
  const row = document.querySelector<HTMLElement>('.grid-slice [tabindex="0"]');
  row?.focus();
  return row !== null;
}

function useIsAllSelected(total: bigint | undefined): boolean {
  const selected = useValue(selection);
  if (selected.filter !== undefined || selected.isEmpty) return !selected.isEmpty;
  return total !== undefined && BigInt(selected.plants.size) >= total;
}

/** The plant that was saved last, for a moment. */
function useRecent(): RecentPlant | undefined {
  const [recent, setRecent] = useState<RecentPlant | undefined>(undefined);
  useEffect(
    () =>
      onAnnounced((change) => {
        if (change.kind === 'stored') setRecent(change);
      }),
    [],
  );
  useEffect(() => {
    const timer = setTimeout(() => setRecent(undefined), recentMs);
    return () => clearTimeout(timer);
  }, [recent]);
  return recent;
}

function toCountText({ plants, isStale }: ShownList, hasMatch: boolean, total: bigint | undefined): string {
  if (!plants.isStarted || isStale) return 'Loading…';
  const seen = plants.rowCount;
  if (hasMatch)
    return `1 match by id${seen > 0 ? `, ${toGrouped(seen)}${plants.isWhole ? '' : '+'} by name or tag` : ''}`;
  return total === undefined ? `More than ${toGrouped(seen)} plants` : toCount(total, 'plant');
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
