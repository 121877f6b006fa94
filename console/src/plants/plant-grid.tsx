/**
 * The list as a grid that renders only the visible rows. Arrow keys move, Space selects, Enter opens (WAI-ARIA grid pattern, focus on rows).
 * Loading rows is the job of plant-window.ts.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import { useLastChanges } from '../history/last-changes.ts';
import { useValue } from '../observable.ts';
import { readDraft } from '../session/drafts.ts';
import type { Session } from '../session/session.ts';
import { useMedia } from '../ui/use-media.ts';
import type { RowField } from './field-text.tsx';
import { matches } from '../copy/filter.ts';
import { GridHead } from './grid-head.tsx';
import { keyTarget } from './key-target.ts';
import { PlantRow, SkeletonRow } from './plant-row.tsx';
import type { PlantWindow } from './plant-window.ts';
import { Selection } from './picked-plants.ts';
import { picked, selection } from './selection.ts';
import { useIdLength } from './use-id-length.ts';
import type { ShownList } from './use-plant-window.ts';
import { messageRows, useScrollPlace } from './use-scroll-place.ts';

export interface RecentPlant {
  readonly plant: StoredPlant;
  readonly isNew: boolean;
}

interface GridProps {
  readonly list: ShownList;
  readonly current: Session;
  /** The plant in the editor. */
  readonly openId: bigint | undefined;
  /** The plant that was just saved. */
  readonly recent: RecentPlant | undefined;
  readonly isAllSelected: boolean;
  readonly onOpen: (plant: StoredPlant) => void;
  readonly onSelectAll: () => Promise<void>;
  /** Absent: the token cannot delete. */
  readonly onDelete: ((chosen: Selection) => void) | undefined;
}

/** Rows rendered beyond either edge, so that fast scrolling shows no gaps. */
const marginRows = 12;
/** Height of a row in rem, as `--row` in tokens.css. */
const rowRem = { wide: 2.25, touch: 2.75, narrow: 4 };

export function PlantGrid(props: GridProps) {
  const { list, current, openId, recent, isAllSelected, onOpen, onSelectAll, onDelete } = props;
  const { plants, live, isStale, order, count, isTooLong } = list;
  const scroller = useRef<HTMLDivElement>(null);
  const rem = useMemo(() => parseFloat(getComputedStyle(document.documentElement).fontSize), []);
  const isNarrow = useMedia('(max-width: 719px)');
  const isTouch = useMedia('(pointer: coarse)');
  const rowHeight = rowRem[isNarrow ? 'narrow' : isTouch ? 'touch' : 'wide'] * rem;
  const { top, height, bar, elementLength, show, onScroll } = useScrollPlace(scroller, plants, rowHeight);
  const { active, setActive, range, focusWanted } = useActiveRow(plants);
  const [edited, setEdited] = useState<{ readonly id: bigint; readonly field: RowField } | undefined>(undefined);
  const selected = useValue(selection);

  const [start, end] = [plants.first, plants.first + plants.rowCount];
  const bottom = top + height / rowHeight;
  const first = Math.max(start, Math.floor(top) - marginRows);
  const last = Math.min(end, Math.ceil(bottom) + marginRows) - 1;
  useEffect(() => plants.look(top, bottom));

  useLayoutEffect(() => {
    if (!focusWanted.current) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${active}"]`);
    const { activeElement, body } = document;
    // The person may have left the list meanwhile.
    const isHere = activeElement === body || scroller.current?.contains(activeElement) === true;
    // Until it is loaded, another row takes its place.
    focusWanted.current = isHere && plants.row(active) === undefined;
    if (isHere) row?.focus({ preventScroll: true });
  });

  // Closing the form leads to its row, also if a link has opened it.
  useEffect(() => {
    const opened = openId === undefined ? undefined : plants.numberOf(openId);
    if (opened !== undefined) setActive(opened);
  }, [openId, plants, plants.isStarted]);
  useEffect(() => {
    if (recent?.isNew === true && matches(recent.plant, list.filter)) plants.reveal(recent.plant);
  }, [recent]);
  useLayoutEffect(() => {
    const { revealed } = plants;
    if (revealed === undefined) return;
    // A message may cover the last rows.
    show(revealed, messageRows);
    setActive(revealed);
  });

  const pick = (index: number, isRange: boolean): void => {
    const plant = plants.row(index);
    // While another list is loaded, the rows are still those of the list before.
    const fits = (each: StoredPlant | undefined): each is StoredPlant =>
      each !== undefined && (!isStale || picked.fits(each));
    if (!fits(plant) || live.isGone(plant.id)) return;
    if (isRange) {
      // Rows that are not in memory are in no range.
      const { from: begun = index } = range.current;
      const anchor = plants.row(begun) === undefined ? index : begun;
      const [from, to] = [Math.min(anchor, index), Math.max(anchor, index)];
      picked.add(plants.rowsBetween(from, to).filter(fits));
      range.current = { from: anchor, to: index };
    } else {
      picked.toggle(plant, plants.rowsBetween(start, end).filter(fits));
      range.current = { from: index, to: index };
    }
    setActive(index);
  };

  const canEdit = current.canWrite && !isNarrow && !isTouch;
  /** In the row, unless the form is a better place: it is open, there is no room beside it, or it has more to say. */
  const edit = (plant: StoredPlant, field: RowField): void => {
    if (live.isGone(plant.id)) return;
    if (plant.id === openId)
      document.querySelector<HTMLElement>(`.panel ${field === 'name' ? 'textarea' : '[role=combobox]'}`)?.focus();
    else if (!canEdit || readDraft(String(plant.id)) !== undefined) onOpen(plant);
    else setEdited({ id: plant.id, field });
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const focused = event.target as HTMLElement;
    // The keys belong to the fields.
    if (focused.closest('.row-editor') !== null) return;
    // Of another list, `active` is the top, while the focus may have stayed where it was.
    const at = focusWanted.current ? active : Number(focused.closest<HTMLElement>('.row')?.dataset['index']);
    const plant = plants.row(at);
    const pageRows = Math.max(1, Math.floor(height / rowHeight) - 1);
    const target = keyTarget(event.key, at, pageRows, start, end);
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() !== 'a') return;
      void onSelectAll();
    } else if (target !== undefined) {
      focusWanted.current = true;
      if (event.key === 'Home' || event.key === 'End') plants.revealEnd(event.key === 'Home' ? 'start' : 'end');
      else show(target);
      setActive(target);
      if (event.shiftKey) {
        // The focus has moved on since the last range: a new one begins.
        if (range.current.to !== at) range.current = { from: at, to: at };
        pick(target, true);
      }
    } else if (event.key === ' ' || event.key === 'x') pick(at, event.shiftKey);
    else if (event.key === 'Enter' && plant !== undefined) onOpen(plant);
    else if ((event.key === 'e' || event.key === 'F2') && plant !== undefined) edit(plant, 'name');
    else if (event.key === 'Delete') {
      const focused = plant === undefined || live.isGone(plant.id) ? [] : [[plant.id, plant] as const];
      const wanted = selected.isEmpty ? new Selection(new Map(focused)) : selected;
      if (!wanted.isEmpty) onDelete?.(wanted);
    } else return;
    event.preventDefault();
  };

  const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
  // One row can always be reached with Tab, even when the active one is far away.
  const tabRow = active >= first && active <= last ? active : Math.min(Math.ceil(top), last);
  const shown = rows.flatMap((row) => plants.row(row)?.id ?? []);
  const idLength = useIdLength(plants, shown);
  // There is no room for them on phones.
  const changes = useLastChanges(current.client, isNarrow ? [] : shown);
  return (
    <div
      class={isStale ? 'grid is-stale' : 'grid'}
      role="grid"
      aria-label="Plants"
      aria-multiselectable="true"
      aria-rowcount={count === undefined ? -1 : count + 1}
      aria-busy={isStale}
      style={{ '--id-length': idLength }}
    >
      <div class="grid-body" role="presentation" ref={scroller} onScroll={onScroll}>
        <GridHead
          order={order}
          isTooLong={isTooLong}
          isAllSelected={isAllSelected}
          isSomeSelected={!selected.isEmpty}
          onSelectAll={onSelectAll}
        />
        <div class="grid-length" role="rowgroup" style={{ height: `${elementLength}px` }}>
          <div
            class="grid-slice"
            role="presentation"
            style={{
              transform: `translateY(${(first - start) * rowHeight - Math.round((top - start) * rowHeight - bar)}px)`,
            }}
            onKeyDown={onKeyDown}
          >
            {rows.map((index) => {
              const plant = plants.row(index);
              const place = { index, rowIndex: index - start + 2, isTabStop: index === tabRow };
              const onFocus = (): void => {
                setActive(index);
                focusWanted.current ||= plant === undefined;
              };
              if (plant === undefined) return <SkeletonRow key={index} {...place} onFocus={onFocus} />;
              return (
                // With the key: an element that became another row would keep the focus.
                <PlantRow
                  key={index}
                  {...place}
                  onFocus={onFocus}
                  plant={plant}
                  lastChange={changes.get(plant.id)}
                  isSelected={selected.has(plant.id)}
                  isOpen={plant.id === openId}
                  isNew={plant.id === recent?.plant.id}
                  isFlashing={live.isFlashing(plant.id)}
                  isGone={live.isGone(plant.id)}
                  isUnsaved={plant.id !== openId && readDraft(String(plant.id)) !== undefined}
                  edited={edited?.id === plant.id ? edited.field : undefined}
                  current={current}
                  onPick={(isRange) => pick(index, isRange)}
                  onOpen={() => onOpen(plant)}
                  onEdit={canEdit && !live.isGone(plant.id) ? (field) => edit(plant, field) : undefined}
                  onEditEnd={() => setEdited((now) => (now?.id === plant.id ? undefined : now))}
                />
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

/** The row that the keys move; a new list starts at its top. */
function useActiveRow(plants: PlantWindow) {
  const [active, setActive] = useState(plants.first);
  /** The rows that were selected last, without or with Shift. */
  const range = useRef<{ readonly from?: number; readonly to?: number }>({});
  const focusWanted = useRef(false);
  useEffect(() => {
    setActive(Math.ceil(plants.top));
    range.current = {};
  }, [plants]);
  return {
    active: Math.max(plants.first, Math.min(active, plants.first + plants.rowCount - 1)),
    setActive,
    range,
    focusWanted,
  };
}
