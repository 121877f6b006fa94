/**
 * The list as a grid that renders only the visible rows. Arrow keys move, Space selects, Enter opens (WAI-ARIA grid pattern, focus on rows).
 * Which rows there are is the job of list/.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import type { Announcement } from '../copy/changes.ts';
import { useLastChanges } from './last-changes.ts';
import type { ShownList } from './use-list.ts';
import { messageRows, useScrollPlace } from './use-scroll-place.ts';
import { readDraft } from '../session/drafts.ts';
import { useSession } from '../session/session.ts';
import { keyOf } from '../ui/keys.ts';
import { useMedia } from '../ui/use-media.ts';
import type { RowField } from '../ui/field-text.tsx';
import { GridHead } from './grid-head.tsx';
import { keyTarget } from './key-target.ts';
import { PlantRow } from './plant-row.tsx';
import { picked, Selection, useSelection } from '../actions/picked-plants.ts';
import { useIdLength } from './use-id-length.ts';

export type RecentPlant = Extract<Announcement, { readonly kind: 'stored' }>;

interface GridProps {
  readonly list: ShownList;
  /** The plant in the editor. */
  readonly openId: bigint | undefined;
  /** The plant that was just saved. */
  readonly recent: RecentPlant | undefined;
  readonly isAllSelected: boolean;
  readonly onOpen: (plant: StoredPlant) => void;
  readonly onSelectAll: () => void;
  /** Absent: the token cannot delete. */
  readonly onDelete: ((chosen: Selection) => void) | undefined;
}

/** Rows rendered beyond either edge, so that fast scrolling shows no gaps. */
const marginRows = 12;
/** Height of a row in rem, as `--row` in tokens.css. */
const rowRem = { wide: 2.25, touch: 2.75, narrow: 4 };

export function PlantGrid(props: GridProps) {
  const { client, canWrite } = useSession();
  const { list, openId, recent, isAllSelected, onOpen, onSelectAll, onDelete } = props;
  const { shown, name, order, count, isCut, isLoading } = list;
  const { rows } = shown;
  const scroller = useRef<HTMLDivElement>(null);
  const rem = useMemo(() => parseFloat(getComputedStyle(document.documentElement).fontSize), []);
  const isNarrow = useMedia('(max-width: 719px)');
  const isTouch = useMedia('(pointer: coarse)');
  const rowHeight = rowRem[isNarrow ? 'narrow' : isTouch ? 'touch' : 'wide'] * rem;
  const { top, height, show, onScroll } = useScrollPlace(scroller, list, rowHeight);
  const { active, setActive, range, focusWanted } = useActiveRow(list, top);
  const [edited, setEdited] = useState<{ readonly id: bigint; readonly field: RowField } | undefined>(undefined);
  const selected = useSelection();

  const first = Math.max(0, Math.floor(top) - marginRows);
  const last = Math.min(rows.length, Math.ceil(top + height / rowHeight) + marginRows) - 1;

  useLayoutEffect(() => {
    if (!focusWanted.current) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${active}"]`);
    const { activeElement, body } = document;
    // The person may have left the list meanwhile.
    const isHere = activeElement === body || scroller.current?.contains(activeElement) === true;
    // Until it is rendered.
    focusWanted.current = isHere && !row;
    if (isHere) row?.focus({ preventScroll: true });
  });

  // Closing the form leads to its row, also if a link has opened it.
  useEffect(() => {
    const opened = openId === undefined ? undefined : shown.indexOf(openId);
    // A row that was clicked stays under the pointer.
    if (opened === undefined || opened === active) return;
    show(opened, messageRows);
    setActive(opened);
  }, [openId, name, list.copy.isLoaded]);
  useLayoutEffect(() => {
    const at = recent?.isNew === true ? shown.indexOf(recent.plant.id) : undefined;
    if (at === undefined) return;
    // A message may cover the last rows.
    show(at, messageRows);
    setActive(at);
  }, [recent, recent && shown.indexOf(recent.plant.id) !== undefined]);

  const pick = (index: number, isRange: boolean): void => {
    const id = rows[index]?.id;
    if (id === undefined || !shown.has(id)) return;
    if (isRange) {
      const from = shown.indexOf(range.current.from ?? id) ?? index;
      const between = rows.slice(Math.min(from, index), Math.max(from, index) + 1);
      // In place of the last range from there, unless the selection was changed since.
      const { ids } = picked().selection.value;
      const before = range.current.made === ids ? range.current.before : ids;
      picked().add(
        between.flatMap((row) => (shown.has(row.id) ? row.id : [])),
        before,
      );
      range.current = { from: rows[from]?.id, to: id, before, made: picked().selection.value.ids };
    } else {
      picked().toggle(
        id,
        rows.map((row) => row.id),
      );
      range.current = { from: id, to: id };
    }
    setActive(index);
  };

  const canEdit = canWrite && !isNarrow && !isTouch;
  /** In the row, unless the form is a better place: it is open, there is no room beside it, or it has more to say. */
  const edit = (plant: StoredPlant, field: RowField): void => {
    if (shown.isGone(plant.id)) return;
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
    const row = rows[at];
    const plant = row && shown.plantOf(row);
    const key = keyOf(event);
    const isInHead = focused.closest('.grid-head') !== null;
    if (event.ctrlKey || event.metaKey || (isInHead && key !== 'Delete')) return;
    const pageRows = Math.max(1, Math.floor(height / rowHeight) - 1);
    const target = keyTarget(key, at, pageRows, rows.length);
    if (target !== undefined) {
      focusWanted.current = true;
      show(target);
      setActive(target);
      if (event.shiftKey) {
        // The focus has moved on since the last range: a new one begins.
        if (range.current.to !== row?.id) range.current = { from: row?.id, to: row?.id };
        pick(target, true);
      }
    } else if (key === ' ' || key === 'x') pick(at, event.shiftKey);
    else if (key === 'Enter' && plant !== undefined) onOpen(plant);
    else if ((key === 'e' || key === 'F2') && plant !== undefined) edit(plant, 'name');
    else if (key === 'Delete') {
      const ids = plant === undefined || shown.isGone(plant.id) ? [] : [plant.id];
      const wanted = selected.isEmpty ? new Selection(new Set(ids)) : selected;
      if (!wanted.isEmpty) onDelete?.(wanted);
    } else return;
    event.preventDefault();
  };

  const visible = rows.slice(first, last + 1);
  // One row can always be reached with Tab, even when the active one is far away.
  const tabRow = active >= first && active <= last ? active : Math.min(Math.ceil(top), last);
  const ids = visible.map((row) => row.id);
  const idLength = useIdLength(name, ids);
  // There is no room for them on phones.
  const changes = useLastChanges(client, isNarrow ? [] : ids);
  return (
    <div
      class="grid"
      role="grid"
      aria-label="Plants"
      aria-multiselectable="true"
      aria-rowcount={count === undefined ? -1 : count + 1}
      aria-busy={isLoading}
      onKeyDown={onKeyDown}
      style={{ '--id-length': idLength }}
    >
      <div class="grid-body" role="presentation" ref={scroller} onScroll={onScroll}>
        <GridHead
          order={order}
          isTooLong={isCut}
          isAllSelected={isAllSelected}
          isSomeSelected={!selected.isEmpty}
          onSelectAll={onSelectAll}
        />
        <div class="grid-length" role="rowgroup" style={{ height: `${rows.length * rowHeight}px` }}>
          <div class="grid-slice" role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
            {visible.map((row, at) => {
              const index = first + at;
              const plant = shown.plantOf(row);
              const { id } = row;
              const isGone = shown.isGone(id);
              return (
                <PlantRow
                  key={String(id)}
                  index={index}
                  isTabStop={index === tabRow}
                  onFocus={() => setActive(index)}
                  plant={plant}
                  lastChange={changes.get(id)}
                  isSelected={selected.has(id)}
                  isOpen={id === openId}
                  isNew={id === recent?.plant.id}
                  isFlashing={shown.isFlashing(id)}
                  isGone={isGone}
                  isUnsaved={id !== openId && readDraft(String(id)) !== undefined}
                  edited={edited?.id === id ? edited.field : undefined}
                  onPick={(isRange) => pick(index, isRange)}
                  onOpen={() => onOpen(plant)}
                  onEdit={canEdit && !isGone ? (field) => edit(plant, field) : undefined}
                  onEditEnd={() => setEdited((now) => (now?.id === id ? undefined : now))}
                />
              );
            })}
          </div>
        </div>
      </div>
    </div>
  );
}

/** The rows that were selected last, without or with Shift. */
interface Range {
  readonly from?: bigint | undefined;
  readonly to?: bigint | undefined;
  /** With Shift: what was selected before, and with it. */
  readonly before?: Selection['ids'] | undefined;
  readonly made?: Selection['ids'];
}

/** The row that the keys move; a new list starts at its top. */
function useActiveRow({ shown, name }: ShownList, top: number) {
  const [place, setPlace] = useState<{ readonly id?: bigint | undefined; readonly at: number }>({ at: 0 });
  const range = useRef<Range>({});
  const focusWanted = useRef(false);
  const setActive = (at: number): void => setPlace({ id: shown.rows[at]?.id, at });
  useEffect(() => {
    setActive(Math.ceil(top));
    range.current = {};
  }, [name]);
  // The row may have moved; if it is gone, another has its place.
  const at = (place.id === undefined ? undefined : shown.indexOf(place.id)) ?? place.at;
  return { active: Math.max(0, Math.min(at, shown.rows.length - 1)), setActive, range, focusWanted };
}
