/**
 * The list as a grid that draws only the rows in sight. Arrow keys move, Space picks, Enter opens (WAI-ARIA grid pattern, focus on rows).
 * Where the rows come from is plant-window.ts's matter.
 */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import { useValue } from '../observable.ts';
import { useMedia } from '../ui/use-media.ts';
import { PlantRow, SkeletonRow } from './plant-row.tsx';
import type { PlantWindow } from './plant-window.ts';
import { selectAll, selection, toggleSelected } from './selection.ts';

interface GridProps {
  readonly plants: PlantWindow;
  readonly isStale: boolean;
  /** The plant in the editor. */
  readonly openId: bigint | undefined;
  readonly onOpen: (plant: StoredPlant) => void;
}

/** Rows drawn beyond either edge, so that quick scrolling shows no gaps. */
const marginRows = 12;

export function PlantGrid({ plants, isStale, openId, onOpen }: GridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = useMedia('(max-width: 719px)') ? 64 : 44;
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(800);
  const { active, setActive, anchor, focusWanted } = useActiveRow(plants);
  const selected = useValue(selection);

  const first = Math.max(0, Math.floor(top / rowHeight) - marginRows);
  const last = Math.min(plants.rowCount, Math.ceil((top + height) / rowHeight) + marginRows) - 1;
  useEffect(() => plants.look(Math.floor(top / rowHeight), Math.ceil((top + height) / rowHeight)));
  useScrollPlace(scroller, plants, rowHeight, setTop, setHeight);

  const show = useCallback(
    (index: number) => {
      const element = scroller.current;
      if (element === null) return;
      const start = index * rowHeight;
      if (start < element.scrollTop) element.scrollTop = start;
      else if (start + rowHeight > element.scrollTop + element.clientHeight)
        element.scrollTop = start + rowHeight - element.clientHeight;
    },
    [rowHeight],
  );

  useLayoutEffect(() => {
    if (!focusWanted.current) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${active}"]`);
    if (row !== null && row !== undefined) {
      focusWanted.current = false;
      row.focus({ preventScroll: true });
    }
  });

  const pick = (index: number, isRange: boolean): void => {
    const plant = plants.row(index);
    if (plant === undefined) return;
    if (isRange) {
      const [from, to] = [Math.min(anchor.current, index), Math.max(anchor.current, index)];
      selectAll(
        Array.from({ length: to - from + 1 }, (_, at) => plants.row(from + at)).filter((each) => each !== undefined),
      );
    } else {
      toggleSelected(plant);
      anchor.current = index;
    }
    setActive(index);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const plant = plants.row(active);
    const pageRows = Math.max(1, Math.floor(height / rowHeight) - 1);
    const target = keyTarget(event.key, active, pageRows, plants.rowCount);
    if (target !== undefined) {
      focusWanted.current = true;
      show(target);
      setActive(target);
      if (event.shiftKey) pick(target, true);
    } else if (event.key === ' ') pick(active, event.shiftKey);
    else if (event.key === 'Enter' && plant !== undefined) onOpen(plant);
    else return;
    event.preventDefault();
  };

  const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
  // One row can always be reached with Tab, also when the active one is far away.
  const tabRow = active >= first && active <= last ? active : Math.min(Math.ceil(top / rowHeight), last);
  return (
    <div
      class={isStale ? 'grid is-stale' : 'grid'}
      role="grid"
      aria-label="Plants"
      aria-multiselectable="true"
      aria-rowcount={plants.isWhole ? plants.rowsDropped + plants.rowCount + 1 : -1}
      aria-busy={isStale}
    >
      <div class="grid-head" role="rowgroup">
        <div class="row row-head" role="row" aria-rowindex={1}>
          <span role="columnheader" class="cell-pick">
            <span class="for-readers">Selected</span>
          </span>
          <span role="columnheader" class="cell-name">
            Name
          </span>
          <span role="columnheader" class="cell-tag">
            Tag
          </span>
          <span role="columnheader" class="cell-id">
            Id
          </span>
        </div>
      </div>
      <div class="grid-body" role="rowgroup" ref={scroller} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
        <div class="grid-length" role="presentation" style={{ height: `${plants.rowCount * rowHeight}px` }}>
          <div
            class="grid-slice"
            role="presentation"
            style={{ transform: `translateY(${first * rowHeight}px)` }}
            onKeyDown={onKeyDown}
          >
            {rows.map((index) => {
              const plant = plants.row(index);
              const place = { key: index, index, rowIndex: plants.rowsDropped + index + 2 };
              if (plant === undefined) return <SkeletonRow {...place} />;
              return (
                <PlantRow
                  {...place}
                  plant={plant}
                  isTabStop={index === tabRow}
                  isSelected={selected.has(plant.id)}
                  isOpen={plant.id === openId}
                  onFocus={() => setActive(index)}
                  onPick={(isRange) => pick(index, isRange)}
                  onOpen={() => onOpen(plant)}
                />
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

/** The row that the keys move; a new list begins at its top. */
function useActiveRow(plants: PlantWindow) {
  const [active, setActive] = useState(0);
  const anchor = useRef(0);
  const focusWanted = useRef(false);
  useEffect(() => {
    setActive(0);
    anchor.current = 0;
  }, [plants]);
  return { active: Math.min(active, Math.max(0, plants.rowCount - 1)), setActive, anchor, focusWanted };
}

/** Keeps the size in step, starts a new list at its top, and stays on the same rows when those far above are let go. */
function useScrollPlace(
  scroller: { readonly current: HTMLDivElement | null },
  plants: PlantWindow,
  rowHeight: number,
  setTop: (top: number) => void,
  setHeight: (height: number) => void,
): void {
  const dropped = useRef(plants.rowsDropped);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    dropped.current = plants.rowsDropped;
    if (scroller.current !== null) scroller.current.scrollTop = 0;
    setTop(0);
  }, [plants]);
  const gone = plants.rowsDropped;
  useLayoutEffect(() => {
    if (scroller.current !== null && gone > dropped.current)
      scroller.current.scrollTop -= (gone - dropped.current) * rowHeight;
    dropped.current = gone;
  }, [gone, rowHeight]);
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
