/**
 * The list as a grid that renders only the visible rows. Arrow keys move, Space selects, Enter opens (WAI-ARIA grid pattern, focus on rows).
 * Which rows there are is the job of use-list.ts and shown-rows.ts.
 */
import { useRef, useState } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import type { Row } from '../copy/order.ts';
import { useLastChanges } from './last-changes.ts';
import type { ShownList } from './use-list.ts';
import { type ScrollPlace, useScrollPlace } from './use-scroll-place.ts';
import { readDraft } from '../session/drafts.ts';
import { useSession } from '../session/session.ts';
import { commands, useCommand } from '../ui/commands.ts';
import type { RowField } from '../ui/field-text.tsx';
import { useMedia } from '../ui/use-media.ts';
import { GridHead } from './grid-head.tsx';
import { onGridKey } from './grid-keys.ts';
import { PlantRow, type RowActions } from './plant-row.tsx';
import { type Selection, useSelection } from '../actions/picked-plants.ts';
import { type RecentPlant, useActiveRow } from './use-active-row.ts';
import { useIdLength } from './use-id-length.ts';

interface GridProps {
  readonly list: ShownList;
  readonly openId: bigint | undefined;
  readonly recent: RecentPlant | undefined;
  readonly isAllSelected: boolean;
  readonly onOpen: (plant: StoredPlant) => void;
  readonly onSelectAll: () => void;
  /** Absent: the token cannot delete. */
  readonly onDelete: ((chosen: Selection) => void) | undefined;
}

/** The plant that is edited in its row, and the field that gets the focus. */
interface Edited {
  readonly id: bigint;
  readonly field: RowField;
}

export function PlantGrid(props: GridProps) {
  const { list, openId, isAllSelected, onOpen, onSelectAll, onDelete } = props;
  const { shown, order, count, isCut, isLoading } = list;
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useMedia('(max-width: 719px)');
  const isTouch = useMedia('(pointer: coarse)');
  const place = useScrollPlace(scroller, list, isNarrow ? 'narrow' : isTouch ? 'touch' : 'wide');
  const row = useActiveRow(scroller, list, place, openId, props.recent);
  const [edited, setEdited] = useState<Edited | undefined>(undefined);
  const selected = useSelection();
  const visible = shown.rows.slice(place.first, place.last + 1);
  const idLength = useIdLength(list.name, visible);
  const canEdit = useSession().canWrite && !isNarrow && !isTouch;
  const actions: RowActions = {
    onFocus: row.setActive,
    onPick: row.pick,
    onOpen,
    // In the row, unless the form is a better place: it is open, there is no room beside it, or it has more to say.
    onEdit: (plant, field) => {
      if (shown.isGone(plant.id)) return;
      if (plant.id === openId) commands.focusField?.(field);
      else if (!canEdit || readDraft(String(plant.id)) !== undefined) onOpen(plant);
      else setEdited({ id: plant.id, field });
    },
    onEditEnd: (id) => setEdited((now) => (now?.id === id ? undefined : now)),
  };
  useCommand('selectAll', () => {
    if (!isAllSelected) onSelectAll();
    commands.focusList?.();
  });
  return (
    <div
      class="grid"
      role="grid"
      aria-label="Plants"
      aria-multiselectable="true"
      aria-rowcount={count === undefined ? -1 : count + 1}
      aria-busy={isLoading}
      onKeyDown={(event) => onGridKey(event, { list, place, row, actions, selected, onDelete })}
      style={{ '--id-length': idLength }}
    >
      <div class="grid-body" role="presentation" ref={scroller} onScroll={place.onScroll}>
        <GridHead
          order={order}
          isTooLong={isCut}
          isAllSelected={isAllSelected}
          isSomeSelected={!selected.isEmpty}
          onSelectAll={onSelectAll}
        />
        <GridRows
          {...props}
          visible={visible}
          place={place}
          active={row.active}
          selected={selected}
          edited={edited}
          canEdit={canEdit}
          hasChanges={!isNarrow}
          actions={actions}
        />
      </div>
    </div>
  );
}

interface RowsProps extends GridProps {
  readonly visible: readonly Row[];
  readonly place: ScrollPlace;
  readonly active: number;
  readonly selected: Selection;
  readonly edited: Edited | undefined;
  readonly canEdit: boolean;
  /** There is no room for them on phones. */
  readonly hasChanges: boolean;
  readonly actions: RowActions;
}

function GridRows(props: RowsProps) {
  const { client } = useSession();
  const { visible, active, openId, recent, selected, edited } = props;
  const { shown } = props.list;
  const { top, first, last, rowHeight } = props.place;
  const ids = visible.map(({ id }) => id);
  const changes = useLastChanges(client, props.hasChanges ? ids : []);
  // One row can always be reached with Tab, even when the active one is far away.
  const tabRow = active >= first && active <= last ? active : Math.min(Math.ceil(top), last);
  const actions = useRef(props.actions);
  actions.current = props.actions;
  return (
    <div class="grid-length" role="rowgroup" style={{ height: `${shown.rows.length * rowHeight}px` }}>
      <div class="grid-slice" role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
        {visible.map((row, at) => {
          const { id } = row;
          const isGone = shown.isGone(id);
          return (
            <PlantRow
              key={String(id)}
              index={first + at}
              isTabStop={first + at === tabRow}
              plant={shown.plantOf(row)}
              lastChange={changes.get(id)}
              isSelected={selected.has(id)}
              isOpen={id === openId}
              isNew={id === recent?.plant.id}
              isFlashing={shown.isFlashing(id)}
              isGone={isGone}
              isUnsaved={id !== openId && readDraft(String(id)) !== undefined}
              edited={edited?.id === id ? edited.field : undefined}
              canEdit={props.canEdit && !isGone}
              actions={actions}
            />
          );
        })}
      </div>
    </div>
  );
}
