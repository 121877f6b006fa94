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
          <OrderButton
            text="Id"
            title={orderTitles[order === 'id' ? 'newest' : 'id']}
            to={order === 'id' ? 'newest' : 'id'}
          />
        </span>
        <span role="columnheader" class="cell-name" aria-sort={order === 'name' ? 'ascending' : undefined}>
          <OrderButton
            text="Name"
            title={canSortByName ? 'By name' : tooLongText}
            to={canSortByName ? 'name' : undefined}
          />
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
const orderTitles = { id: 'Lowest id first', newest: 'Newest first' };
const tooLongText = `Only up to ${toGrouped(sortedMax)} plants can be sorted by name`;

/** @param to undefined: cannot be chosen. */
function OrderButton({
  text,
  title,
  to,
}: {
  readonly text: string;
  readonly title: string;
  readonly to: ListOrder | undefined;
}) {
  return (
    <button
      type="button"
      class="order"
      title={title}
      disabled={to === undefined}
      onClick={() => navigate({ order: to ?? 'id' })}
    >
      {text}
    </button>
  );
}
