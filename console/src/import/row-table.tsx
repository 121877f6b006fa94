/** A table of rows of a file, which scrolls by itself. */
import type { ComponentChildren } from 'preact';
import { toGrouped } from '../ui/numbers.ts';

interface TableProps {
  readonly kind: 'preview' | 'conflicts' | 'refused';
  readonly label: string;
  /** Rows that are shown, and those that there are. */
  readonly shown: number;
  readonly total: bigint;
  readonly headings: readonly string[];
  readonly children: ComponentChildren;
}

export function RowTable({ kind, label, shown, total, headings, children }: TableProps) {
  return (
    <div class={`rows ${kind}`} tabIndex={0} role="region" aria-label={label}>
      <table>
        <caption>
          {label}
          {total > BigInt(shown) && `: ${shown} of ${toGrouped(total)}`}
        </caption>
        <thead>
          <tr>
            {headings.map((heading) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
