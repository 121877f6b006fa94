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
  const toSort = (one: ListOrder, other: ListOrder): 'ascending' | 'descending' | undefined =>
    order === one ? 'ascending' : order === other ? 'descending' : undefined;
  return (
    <div class="grid-head" role="rowgroup">
      <div class="row row-head" role="row" aria-rowindex={1}>
        <span role="columnheader" class="cell-pick">
          <label class="pick" title="Select all">
            <input ref={box} type="checkbox" aria-label="Select all" onChange={onSelectAll} />
          </label>
        </span>
        <span role="columnheader" class="cell-id" aria-sort={toSort('id', 'highest')}>
          <OrderButton text="Id" to={order === 'id' ? 'highest' : 'id'} />
        </span>
        <span role="columnheader" class="cell-name" aria-sort={toSort('name', 'last-name')}>
          <OrderButton text="Name" to={order === 'name' ? 'last-name' : 'name'} />
          <span class="order-note" role="status">
            {hasNote && `To sort, filter to at most ${toGrouped(bounds.plantsMax)}`}
          </span>
        </span>
        <span role="columnheader" class="cell-tag" aria-sort={toSort('tag', 'last-tag')}>
          <OrderButton text="Tag" to={order === 'tag' ? 'last-tag' : 'tag'} />
        </span>
        <span role="columnheader" class="cell-change">
          Last change
        </span>
      </div>
    </div>
  );
}

const titles: Partial<Record<ListOrder, string>> = { id: 'Lowest id first', highest: 'Highest id first' };

function OrderButton({ text, to }: { readonly text: string; readonly to: ListOrder }) {
  return (
    <button type="button" class="order" title={titles[to]} onClick={() => navigate({ order: to })}>
      {text}
    </button>
  );
}
