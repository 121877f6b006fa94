/** The head row of the list. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { bounds } from '../copy/bounds.ts';
import { useValue } from '../observable.ts';
import { isById, type ListOrder, navigate, route } from '../route.ts';
import { toGrouped } from '../ui/numbers.ts';

interface HeadProps {
  readonly order: ListOrder;
  /** There are more plants than can be sorted by name or tag. */
  readonly isTooLong: boolean;
  readonly isAllSelected: boolean;
  readonly isSomeSelected: boolean;
  /** Selects all plants of the filter, or none if all are selected. */
  readonly onSelectAll: () => void;
}

export function GridHead({ order, isTooLong, isAllSelected, isSomeSelected, onSelectAll }: HeadProps) {
  const hasNote = !isById(useValue(route).order) && isTooLong;
  const box = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    Object.assign(box.current ?? {}, { checked: isAllSelected, indeterminate: isSomeSelected && !isAllSelected });
  });
  return (
    <div class="grid-head" role="rowgroup">
      <div class="row row-head" role="row" aria-rowindex={1}>
        <span role="columnheader" class="cell-pick">
          <label class="pick" title="Select all">
            <input ref={box} type="checkbox" aria-label="Select all" onChange={onSelectAll} />
          </label>
        </span>
        {columns.map(({ name, text, first, last }) => (
          <span
            key={name}
            role="columnheader"
            class={`cell-${name}`}
            aria-sort={order === first ? 'ascending' : order === last ? 'descending' : undefined}
          >
            <button
              type="button"
              class="order"
              title={name === 'id' ? (order === first ? 'Highest id first' : 'Lowest id first') : undefined}
              onClick={() => navigate({ order: order === first ? last : first })}
            >
              {text}
            </button>
            {name === 'name' && (
              <span class="order-note" role="status">
                {hasNote && `To sort, filter to at most ${toGrouped(bounds.plantsMax)}`}
              </span>
            )}
          </span>
        ))}
        <span role="columnheader" class="cell-change">
          Last change
        </span>
      </div>
    </div>
  );
}

const columns = [
  { name: 'id', text: 'Id', first: 'id', last: 'highest' },
  { name: 'name', text: 'Name', first: 'name', last: 'last-name' },
  { name: 'tag', text: 'Tag', first: 'tag', last: 'last-tag' },
] as const;
