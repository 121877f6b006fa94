/**
 * The list as a grid that renders only the visible rows. Arrow keys move, Space selects, Enter opens (WAI-ARIA grid pattern, focus on rows).
 * Loading rows is the job of plant-window.ts.
 */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import { lastChanges } from '../history/last-changes.ts';
import { useValue } from '../observable.ts';
import { readDraft } from '../session/drafts.ts';
import type { Session } from '../session/session.ts';
import { useMedia } from '../ui/use-media.ts';
import type { RowField } from './field-text.tsx';
import { GridHead } from './grid-head.tsx';
import { PlantRow, SkeletonRow } from './plant-row.tsx';
import type { LiveRows } from './live-rows.ts';
import type { PlantWindow } from './plant-window.ts';
import { Selection } from './picked-plants.ts';
import { picked, selection } from './selection.ts';

interface GridProps {
  readonly plants: PlantWindow;
  readonly live: LiveRows;
  readonly current: Session;
  readonly isStale: boolean;
  /** Number of plants, if known. */
  readonly total: bigint | undefined;
  /** The plant in the editor. */
  readonly openId: bigint | undefined;
  /** The plant that was just saved. */
  readonly recent: { readonly id: bigint; readonly isNew: boolean } | undefined;
  readonly isAllSelected: boolean;
  readonly onOpen: (plant: StoredPlant) => void;
  readonly onSelectAll: () => Promise<void>;
  /** Absent: the token cannot delete. */
  readonly onDelete: ((chosen: Selection) => void) | undefined;
}

/** Rows rendered beyond either edge, so that fast scrolling shows no gaps. */
const marginRows = 12;
/** Rows that a message covers; as high is the space below the last row, in plants.css. */
const messageRows = 2;
/** Height of a row in rem, as `--row` in tokens.css. */
const rowRem = { wide: 2.25, touch: 2.75, narrow: 4 };

export function PlantGrid(props: GridProps) {
  const { plants, live, current, isStale, total, openId, recent, isAllSelected, onOpen, onSelectAll, onDelete } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rem = useMemo(() => parseFloat(getComputedStyle(document.documentElement).fontSize), []);
  const isNarrow = useMedia('(max-width: 719px)');
  const isTouch = useMedia('(pointer: coarse)');
  const rowHeight = rowRem[isNarrow ? 'narrow' : isTouch ? 'touch' : 'wide'] * rem;
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(800);
  const { active, setActive, range, focusWanted } = useActiveRow(plants);
  const [edited, setEdited] = useState<{ readonly id: bigint; readonly field: RowField } | undefined>(undefined);
  const selected = useValue(selection);
  const changes = useValue(lastChanges);

  const first = Math.max(0, Math.floor(top / rowHeight) - marginRows);
  const last = Math.min(plants.rowCount, Math.ceil((top + height) / rowHeight) + marginRows) - 1;
  useEffect(() => plants.look(Math.floor(top / rowHeight), Math.ceil((top + height) / rowHeight)));
  useScrollPlace(scroller, plants, setTop, setHeight);

  const show = useCallback(
    (index: number, rowsBelow = 0) => {
      const element = scroller.current;
      if (element === null) return;
      const [start, end] = [index * rowHeight, (index + 1 + rowsBelow) * rowHeight];
      if (start < element.scrollTop) element.scrollTop = start;
      else if (end > element.scrollTop + height) element.scrollTop = end - height;
    },
    [rowHeight, height],
  );

  useLayoutEffect(() => {
    if (!focusWanted.current) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${active}"]`);
    if (row !== null && row !== undefined) {
      focusWanted.current = false;
      row.focus({ preventScroll: true });
    }
  });

  useEffect(() => {
    const index = recent?.isNew === true ? plants.indexOf(recent.id) : -1;
    if (index < 0) return;
    // A message may cover the last rows.
    show(index, messageRows);
    setActive(index);
  }, [recent]);

  const pick = (index: number, isRange: boolean): void => {
    const plant = plants.row(index);
    // While another list is loaded, the rows are still those of the list before.
    const fits = (each: StoredPlant | undefined): each is StoredPlant =>
      each !== undefined && (!isStale || picked.fits(each));
    if (!fits(plant) || live.isGone(plant.id)) return;
    if (isRange) {
      const { from: anchor = index } = range.current;
      const [from, to] = [Math.min(anchor, index), Math.max(anchor, index)];
      picked.add(Array.from({ length: to - from + 1 }, (_, at) => plants.row(from + at)).filter(fits));
      range.current = { from: anchor, to: index };
    } else {
      picked.toggle(plant, Array.from({ length: plants.rowCount }, (_, at) => plants.row(at)).filter(fits));
      range.current = { from: index, to: index };
    }
    setActive(index);
  };

  const canEdit = current.canWrite && !isNarrow && !isTouch;
  /** In the row, unless the form is a better place: it is open, there is no room beside it, or it has more to say. */
  const edit = (plant: StoredPlant, field: RowField): void => {
    if (live.isGone(plant.id)) return;
    if (!canEdit || plant.id === openId || readDraft(String(plant.id)) !== undefined) onOpen(plant);
    else setEdited({ id: plant.id, field });
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    // The keys belong to the fields.
    if (event.target instanceof Element && event.target.closest('.row-editor') !== null) return;
    const plant = plants.row(active);
    const pageRows = Math.max(1, Math.floor(height / rowHeight) - 1);
    const target = keyTarget(event.key, active, pageRows, plants.rowCount);
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() !== 'a') return;
      void onSelectAll();
    } else if (target !== undefined) {
      focusWanted.current = true;
      show(target);
      setActive(target);
      if (event.shiftKey) {
        // The focus has moved on since the last range: a new one begins.
        if (range.current.to !== active) range.current = { from: active, to: active };
        pick(target, true);
      }
    } else if (event.key === ' ' || event.key === 'x') pick(active, event.shiftKey);
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
  const tabRow = active >= first && active <= last ? active : Math.min(Math.ceil(top / rowHeight), last);
  const idLength = useIdLength(plants, rows);
  const known = plants.isWhole ? BigInt(plants.rowCount) : total;
  return (
    <div
      class={isStale ? 'grid is-stale' : 'grid'}
      role="grid"
      aria-label="Plants"
      aria-multiselectable="true"
      aria-rowcount={known === undefined ? -1 : Number(known) + 1}
      aria-busy={isStale}
      style={{ '--id-length': idLength }}
    >
      <div
        class="grid-body"
        role="presentation"
        ref={scroller}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <GridHead isAllSelected={isAllSelected} isSomeSelected={!selected.isEmpty} onSelectAll={onSelectAll} />
        <div class="grid-length" role="rowgroup" style={{ height: `${plants.rowCount * rowHeight}px` }}>
          <div
            class="grid-slice"
            role="presentation"
            style={{ transform: `translateY(${first * rowHeight}px)` }}
            onKeyDown={onKeyDown}
          >
            {rows.map((index) => {
              const plant = plants.row(index);
              const place = { index, rowIndex: index + 2 };
              if (plant === undefined) return <SkeletonRow key={index} {...place} />;
              return (
                // With the key: an element that became another row would keep the focus.
                <PlantRow
                  key={index}
                  {...place}
                  plant={plant}
                  lastChange={changes.get(plant.id)}
                  isTabStop={index === tabRow}
                  isSelected={selected.has(plant.id)}
                  isOpen={plant.id === openId}
                  isNew={plant.id === recent?.id}
                  isFlashing={live.isFlashing(plant.id)}
                  isGone={live.isGone(plant.id)}
                  edited={edited?.id === plant.id ? edited.field : undefined}
                  current={current}
                  onFocus={() => setActive(index)}
                  onPick={(isRange) => pick(index, isRange)}
                  onOpen={() => onOpen(plant)}
                  onEdit={canEdit ? (field) => edit(plant, field) : undefined}
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
  const [active, setActive] = useState(0);
  /** The rows that were selected last, without or with Shift. */
  const range = useRef<{ readonly from?: number; readonly to?: number }>({});
  const focusWanted = useRef(false);
  useEffect(() => {
    setActive(0);
    range.current = {};
  }, [plants]);
  return { active: Math.min(active, Math.max(0, plants.rowCount - 1)), setActive, range, focusWanted };
}

/** Characters of the longest id that was shown: the names of all rows begin at one line, which only longer ids move. */
function useIdLength(plants: PlantWindow, rows: readonly number[]): number {
  const longest = useRef({ plants, length: 0 });
  if (longest.current.plants !== plants) longest.current = { plants, length: 0 };
  for (const row of rows) {
    const length = String(plants.row(row)?.id ?? '').length;
    longest.current.length = Math.max(longest.current.length, length);
  }
  return longest.current.length;
}

/** Follows the size, and starts a new list at its top. */
function useScrollPlace(
  scroller: { readonly current: HTMLDivElement | null },
  plants: PlantWindow,
  setTop: (top: number) => void,
  setHeight: (height: number) => void,
): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const head = element.querySelector<HTMLElement>('.grid-head');
    const measure = (): void => setHeight(element.clientHeight - (head?.offsetHeight ?? 0));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0;
    setTop(0);
  }, [plants]);
}

function keyTarget(key: string, active: number, pageRows: number, rowCount: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + pageRows,
    PageUp: active - pageRows,
    Home: 0,
    End: rowCount - 1,
  };
  const target = targets[key];
  return target === undefined ? undefined : Math.max(0, Math.min(rowCount - 1, target));
}
