/** The head row of the list. */
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { useValue } from '../observable.ts';
import { type ListOrder, navigate, route } from '../route.ts';
import { toGrouped } from '../ui/numbers.ts';
import { isByName, sortedMax } from './list-source.ts';

interface HeadProps {
  readonly order: ListOrder;
  /** There are more plants than can be sorted by name. */
  readonly isTooLong: boolean;
  readonly isAllSelected: boolean;
  readonly isSomeSelected: boolean;
  /** Selects all plants of the filter, or none if all are selected. */
  readonly onSelectAll: () => Promise<void>;
}

export function GridHead({ order, isTooLong, isAllSelected, isSomeSelected, onSelectAll }: HeadProps) {
  const hasNote = isByName(useValue(route).order) && isTooLong;
  const box = useRef<HTMLInputElement>(null);
  const [answers, noteAnswer] = useReducer<number, undefined>((count) => count + 1, 0);
  // It shows that it was pressed until the service responds, then what is selected: after an error nothing has changed.
  useLayoutEffect(() => {
    Object.assign(box.current ?? {}, { checked: isAllSelected, indeterminate: isSomeSelected && !isAllSelected });
  }, [isAllSelected, isSomeSelected, answers]);
  return (
    <div class="grid-head" role="rowgroup">
      <div class="row row-head" role="row" aria-rowindex={1}>
        <span role="columnheader" class="cell-pick">
          <label class="pick" title="Select all">
            <input
              ref={box}
              type="checkbox"
              aria-label="Select all"
              onChange={() => void onSelectAll().then(() => noteAnswer(undefined))}
            />
          </label>
        </span>
        <span role="columnheader" class="cell-id" aria-sort={isByName(order) ? undefined : sorts[order]}>
          <OrderButton text="Id" to={order === 'id' ? 'highest' : 'id'} />
        </span>
        <span role="columnheader" class="cell-name" aria-sort={isByName(order) ? sorts[order] : undefined}>
          <OrderButton text="Name" to={order === 'name' ? 'last-name' : 'name'} />
          <span class="order-note" role="status">
            {hasNote && `To sort, filter to at most ${toGrouped(sortedMax)}`}
          </span>
        </span>
        <span role="columnheader" class="cell-tag">
          Tag
        </span>
        <span role="columnheader" class="cell-change">
          Last change
        </span>
      </div>
    </div>
  );
}

const sorts: Partial<Record<ListOrder, 'ascending' | 'descending'>> = {
  id: 'ascending',
  highest: 'descending',
  name: 'ascending',
  'last-name': 'descending',
};

const titles: Partial<Record<ListOrder, string>> = { id: 'Lowest id first', highest: 'Highest id first' };

function OrderButton({ text, to }: { readonly text: string; readonly to: ListOrder }) {
  return (
    <button type="button" class="order" title={titles[to]} onClick={() => navigate({ order: to })}>
      {text}
    </button>
  );
}
