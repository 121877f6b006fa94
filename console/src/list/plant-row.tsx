/** One row of the list. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import { Author } from '../copy/change-text.tsx';
import type { LastChange } from './last-changes.ts';
import { toLink } from '../route.ts';
import { Ago } from '../ui/ago.tsx';
import { Icon } from '../ui/icons.tsx';
import { PlantName, TagChip } from '../ui/plant-text.tsx';
import { type RowField, rowFields } from '../ui/field-text.tsx';
import { RowForm } from './row-form.tsx';

export interface RowActions {
  readonly onFocus: (index: number) => void;
  readonly onPick: (index: number, isRange: boolean) => void;
  readonly onOpen: (plant: StoredPlant) => void;
  readonly onEdit: (plant: StoredPlant, field: RowField) => void;
  readonly onEditEnd: (id: bigint) => void;
}

interface RowProps {
  readonly index: number;
  readonly plant: StoredPlant;
  readonly lastChange: LastChange | undefined;
  readonly isTabStop: boolean;
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  /** Added or changed just now. */
  readonly isNew: boolean;
  /** Changed by someone else just now. */
  readonly isFlashing: boolean;
  /** Deleted by someone else; leaves the list later. */
  readonly isGone: boolean;
  /** What was typed in a form or in the row is kept for its form. */
  readonly isUnsaved: boolean;
  readonly edited: RowField | undefined;
  readonly canEdit: boolean;
  /** Always the same object. */
  readonly actions: { readonly current: RowActions };
}

const unsaved = 'edited, not saved';

const texts: Readonly<Record<RowField, (plant: StoredPlant) => JSX.Element>> = {
  name: ({ name }) => <PlantName name={name} />,
  tag: ({ tag }) => <TagChip tag={tag} />,
};

/** Rendered again only if a property is another: a list that scrolls renders its new row alone. */
export function PlantRow(props: RowProps) {
  return useMemo(() => <Row {...props} />, Object.values(props));
}

function Row(props: RowProps) {
  const { index, plant, lastChange, isTabStop, isSelected, isGone, isUnsaved, edited, actions } = props;
  const { id, name, tag } = plant;
  const states = {
    'is-selected': isSelected,
    'is-open': props.isOpen,
    'is-new': props.isNew,
    'is-flashing': props.isFlashing,
    'is-gone': isGone,
  };
  const words = [name === '' ? 'no name' : name, ...(tag === undefined ? [] : [tag]), id];
  const link = toLink({ plant: id });
  const who = name === '' ? String(id) : name;
  return (
    <div
      class={['row', ...Object.entries(states).flatMap(([key, isOn]) => (isOn ? key : []))].join(' ')}
      role="row"
      // The head is 1.
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      // Without it the name of the row would include that of its check box.
      aria-label={[...words, ...(isGone ? ['deleted'] : []), ...(isUnsaved ? [unsaved] : [])].join(', ')}
      data-index={index}
      tabIndex={isTabStop ? 0 : -1}
      // Also of what is in it: the keys of the list act on the row with the focus.
      onFocusIn={() => actions.current.onFocus(index)}
      onClick={() => actions.current.onOpen(plant)}
    >
      <span role="gridcell" class="cell-pick">
        <label class="pick" onClick={(event) => event.stopPropagation()}>
          <input
            type="checkbox"
            tabIndex={-1}
            checked={isSelected}
            disabled={isGone}
            aria-label={`Select ${who}`}
            onClick={(event) => {
              event.stopPropagation();
              actions.current.onPick(index, event.shiftKey);
            }}
          />
        </label>
      </span>
      <span role="gridcell" class="cell-id">
        <a
          {...link}
          tabIndex={-1}
          onClick={(event) => {
            // The row would open it here, too.
            event.stopPropagation();
            link.onClick(event);
          }}
        >
          {String(id)}
        </a>
      </span>
      {edited === undefined ? (
        rowFields.map((field) => toFieldCell(field, who, props))
      ) : (
        <RowForm plant={plant} field={edited} onEnd={() => actions.current.onEditEnd(id)} />
      )}
      {toChangeCell(lastChange)}
    </div>
  );
}

function toFieldCell(field: RowField, who: string, { plant, isUnsaved, canEdit, actions }: RowProps) {
  return (
    <span key={field} role="gridcell" class={`cell-${field}`}>
      <span
        class={canEdit ? 'editable' : undefined}
        onClick={(event) => {
          if (!canEdit) return;
          event.stopPropagation();
          actions.current.onEdit(plant, field);
        }}
      >
        <span class="cut" title={plant[field]}>
          {texts[field](plant)}
        </span>
        {isUnsaved && field === 'name' && <small class="unsaved">{unsaved}</small>}
        {canEdit && (
          // The row is the tab stop, and has a key for it.
          <button type="button" class="pencil" tabIndex={-1} aria-label={`Edit ${field} of ${who}`}>
            <Icon name="edit" />
          </button>
        )}
      </span>
    </span>
  );
}

function toChangeCell(lastChange: LastChange | undefined) {
  return (
    <span role="gridcell" class="cell-change">
      {lastChange !== undefined &&
        (lastChange.at === undefined ? (
          <span title="No change of this plant is kept. The service removes old changes.">–</span>
        ) : (
          <>
            {lastChange.by && <Author by={lastChange.by} />} <Ago at={lastChange.at} />
          </>
        ))}
    </span>
  );
}
