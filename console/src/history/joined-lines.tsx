/** One line for several plants: it opens, and shows the first of them. */
import { plantLink } from '../route.ts';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import { toGrouped } from '../ui/numbers.ts';
import { PlantName, TagChip } from '../ui/plant-text.tsx';

const listedMax = 100;

interface JoinedProps<Item> {
  readonly summary: ComponentChildren;
  readonly items: readonly Item[];
  /** Number of plants, those without an item included. */
  readonly total: number;
  readonly children: (item: Item) => ComponentChildren;
}

export function JoinedLines<Item>({ summary, items, total, children }: JoinedProps<Item>) {
  const [isOpen, setOpen] = useState(false);
  const shown = items.slice(0, listedMax);
  return (
    <details class="joined" onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>{summary}</summary>
      {isOpen && (
        <ol>
          {shown.map((item, at) => (
            <li key={at}>{children(item)}</li>
          ))}
          {total > shown.length && <li class="soft">and {toGrouped(total - shown.length)} more</li>}
        </ol>
      )}
    </details>
  );
}

export function PlantLink({ plant: { id, name } }: { readonly plant: Pick<StoredPlant, 'id' | 'name'> }) {
  return (
    <a {...plantLink(id)}>
      <PlantName name={name} />
    </a>
  );
}

/** What tells plants with the same name apart. */
export function PlantMore({ id, tag }: { readonly id: bigint; readonly tag?: string | undefined }) {
  return (
    <p class="deletion-more">
      <span class="deletion-id">{String(id)}</span> <TagChip tag={tag} />
    </p>
  );
}
