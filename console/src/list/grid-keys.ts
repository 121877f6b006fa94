/** The keys of the list, and the row to which a key leads. */
import { Selection } from '../actions/picked-plants.ts';
import { keyOf } from '../ui/keys.ts';
import type { RowActions } from './plant-row.tsx';
import type { useActiveRow } from './use-active-row.ts';
import type { ShownList } from './use-list.ts';
import type { ScrollPlace } from './use-scroll-place.ts';

interface Grid {
  readonly list: ShownList;
  readonly place: ScrollPlace;
  readonly row: ReturnType<typeof useActiveRow>;
  readonly actions: RowActions;
  readonly selected: Selection;
  readonly onDelete: ((chosen: Selection) => void) | undefined;
}

export function onGridKey(event: KeyboardEvent, grid: Grid): void {
  const { shown } = grid.list;
  const { active, setActive, focusWanted } = grid.row;
  const focused = event.target as HTMLElement;
  // The keys belong to the fields.
  if (focused.closest('.row-form') !== null) return;
  // Of another list, `active` is the top, while the focus may have stayed where it was.
  const at = focusWanted.current ? active : Number(focused.closest<HTMLElement>('.row')?.dataset['index']);
  const row = shown.rows[at];
  const plant = row && shown.plantOf(row);
  const key = keyOf(event);
  const isInHead = focused.closest('.grid-head') !== null;
  if (event.ctrlKey || event.metaKey || (isInHead && key !== 'Delete')) return;
  const target = keyTarget(key, at, grid.place.pageRows, shown.rows.length);
  if (target !== undefined) {
    focusWanted.current = true;
    grid.place.show(target);
    setActive(target);
    if (event.shiftKey) grid.row.extend(at, target);
  } else if (key === ' ' || key === 'x') grid.row.pick(at, event.shiftKey);
  else if (key === 'Enter' && plant !== undefined) grid.actions.onOpen(plant);
  else if ((key === 'e' || key === 'F2') && plant !== undefined) grid.actions.onEdit(plant, 'name');
  else if (key === 'Delete') {
    const ids = plant === undefined || shown.isGone(plant.id) ? [] : [plant.id];
    const wanted = grid.selected.isEmpty ? new Selection(new Set(ids)) : grid.selected;
    if (!wanted.isEmpty) grid.onDelete?.(wanted);
  } else return;
  event.preventDefault();
}

/** Undefined: the key leads nowhere. */
export function keyTarget(key: string, row: number, pageRows: number, rows: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: row + 1,
    ArrowUp: row - 1,
    PageDown: row + pageRows,
    PageUp: row - pageRows,
    Home: 0,
    End: rows - 1,
  };
  const target = targets[key];
  return target === undefined ? undefined : Math.max(0, Math.min(rows - 1, target));
}
