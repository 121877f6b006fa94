/** The head row of the list. */
import { useRef } from 'preact/hooks';

interface HeadProps {
  readonly isAllSelected: boolean;
  readonly isSomeSelected: boolean;
  /** Selects all plants of the filter, or none if all are selected. */
  readonly onSelectAll: () => Promise<void>;
}

export function GridHead({ isAllSelected, isSomeSelected, onSelectAll }: HeadProps) {
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
        <span role="columnheader" class="cell-id">
          Id
        </span>
        <span role="columnheader" class="cell-name">
          Name
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
