/** The head row of the list. */
import { useRef } from 'preact/hooks';
import { type ListOrder, navigate } from '../route.ts';
import { toGrouped } from '../ui/numbers.ts';
import { sortedMax } from './list-source.ts';

interface HeadProps {
  readonly order: ListOrder;
  /** The list is not too long for it. */
  readonly canSortByName: boolean;
  readonly isAllSelected: boolean;
  readonly isSomeSelected: boolean;
  /** Selects all plants of the filter, or none if all are selected. */
  readonly onSelectAll: () => Promise<void>;
}

export function GridHead({ order, canSortByName, isAllSelected, isSomeSelected, onSelectAll }: HeadProps) {
  const state = { checked: isAllSelected, indeterminate: isSomeSelected && !isAllSelected };
  const latest = useRef(state);
  latest.current = state;
  return (
    <div class="grid-head" role="rowgroup">
      <div class="row row-head" role="row" aria-rowindex={1}>
        <span role="columnheader" class="cell-pick">
          <label class="pick" title="Select all">
            <input
              type="checkbox"
              aria-label="Select all"
              checked={state.checked}
              indeterminate={state.indeterminate}
              // It shows what is selected, not that it was pressed: after an error nothing has changed.
              onChange={({ currentTarget: box }) => void onSelectAll().then(() => Object.assign(box, latest.current))}
            />
          </label>
        </span>
        <span role="columnheader" class="cell-id" aria-sort={sortOfId[order]}>
          <OrderButton text="Id" to={order === 'id' ? 'newest' : 'id'} />
        </span>
        <span
          role="columnheader"
          class="cell-name"
          aria-sort={order === 'name' ? 'ascending' : undefined}
          title={canSortByName ? undefined : `Only up to ${toGrouped(sortedMax)} plants can be sorted by name`}
        >
          {canSortByName ? <OrderButton text="Name" to="name" /> : 'Name'}
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

const sortOfId = { id: 'ascending', newest: 'descending', name: undefined } as const;

function OrderButton({ text, to }: { readonly text: string; readonly to: ListOrder }) {
  const title = to === 'newest' ? 'Newest first' : undefined;
  return (
    <button type="button" class="order" title={title} onClick={() => navigate({ order: to })}>
      {text}
    </button>
  );
}
