/** One row of the list. */
import { navigate, linkTo } from '../route.ts';
import type { StoredPlant } from '../../../src/client/client.ts';
import { PlantName, TagChip } from '../ui/plant-text.tsx';

interface Place {
  /** Among the rows that can be scrolled to. */
  readonly index: number;
  /** In the whole list, the head being 1. */
  readonly rowIndex: number;
}

interface RowProps extends Place {
  readonly plant: StoredPlant;
  readonly isTabStop: boolean;
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  readonly onFocus: () => void;
  readonly onPick: (isRange: boolean) => void;
  readonly onOpen: () => void;
}

export function PlantRow({ index, rowIndex, plant, isTabStop, isSelected, isOpen, onFocus, onPick, onOpen }: RowProps) {
  const { id, name, tag } = plant;
  return (
    <div
      class={`row${isSelected ? ' is-selected' : ''}${isOpen ? ' is-open' : ''}`}
      role="row"
      aria-rowindex={rowIndex}
      aria-selected={isSelected}
      data-index={index}
      tabIndex={isTabStop ? 0 : -1}
      onFocus={onFocus}
      onClick={onOpen}
    >
      <span role="gridcell" class="cell-pick">
        <label class="pick" onClick={(event) => event.stopPropagation()}>
          <input
            type="checkbox"
            tabIndex={-1}
            checked={isSelected}
            aria-label={`Select ${name === '' ? String(id) : name}`}
            onClick={(event) => {
              event.stopPropagation();
              onPick(event.shiftKey);
            }}
          />
        </label>
      </span>
      <span role="gridcell" class="cell-name">
        <a
          href={linkTo({ plant: id })}
          tabIndex={-1}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            event.stopPropagation();
            navigate({ plant: id });
          }}
        >
          <PlantName name={name} />
        </a>
      </span>
      <span role="gridcell" class="cell-tag">
        <TagChip tag={tag} />
      </span>
      <span role="gridcell" class="cell-id">
        {String(id)}
      </span>
    </div>
  );
}

/** Holds the place of a row that is being read. */
export function SkeletonRow({ index, rowIndex }: Place) {
  return (
    <div class="row row-skeleton" role="row" aria-rowindex={rowIndex} data-index={index}>
      <span role="gridcell" class="cell-pick" />
      <span role="gridcell" class="cell-name">
        <span class="for-readers">Being read</span>
        <i class="bone bone-long" />
      </span>
      <span role="gridcell" class="cell-tag" />
      <span role="gridcell" class="cell-id">
        <i class="bone" />
      </span>
    </div>
  );
}
