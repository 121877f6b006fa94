/** The list of a view that manages things, or why it is not there. */
import type { ComponentChildren } from 'preact';
import { toReason } from './reasons.ts';
import type { Loaded } from './use-loaded.ts';
import { LoadFailed } from '../ui/load-failed.tsx';

interface ListProps<Item> {
  readonly loaded: Loaded<readonly Item[]>;
  /** Completes "Could not load ...". */
  readonly what: string;
  /** The content of the entry of an item. */
  readonly children: (item: Item) => ComponentChildren;
}

export function ManagedList<Item extends { readonly id: string }>({ loaded, what, children }: ListProps<Item>) {
  const { value, error, reload } = loaded;
  return (
    <>
      {error !== undefined && <LoadFailed what={what} reason={toReason(error)} onRetry={reload} />}
      <ul aria-busy={value === undefined && error === undefined}>
        {value?.map((item) => (
          <li key={item.id} class="managed-item">
            {children(item)}
          </li>
        ))}
      </ul>
    </>
  );
}
