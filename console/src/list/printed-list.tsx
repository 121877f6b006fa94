/** The list on paper: a table of its plants. The grid has only the rows on the screen. */
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import { toFilterText, toSentence } from '../ui/filter-text.ts';
import { useSelection } from '../actions/picked-plants.ts';
import { toDay } from '../ui/ago.tsx';
import { toCount, toGrouped } from '../ui/numbers.ts';
import { PlantName, TagChip } from '../ui/plant-text.tsx';
import type { ShownList } from './use-list.ts';

/** Maximum number of printed plants: about a hundred sheets. */
const printedMax = 5_000;

/** Empty unless the page is being printed. */
export function PrintedList({ list: { shown, count } }: { readonly list: ShownList }) {
  const { only } = useSelection();
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const fill = (): void => {
      const what =
        only === undefined ? toSentence(toFilterText(shown.filter, count)) : toCount(only.size, 'selected plant');
      const plants = shown.plants().slice(0, printedMax);
      // A change of state would be rendered after Firefox has printed.
      render(<Printed what={what} plants={plants} isCut={plants.length !== count} />, current);
    };
    const clear = (): void => render(null, current);
    addEventListener('beforeprint', fill);
    addEventListener('afterprint', clear);
    return () => {
      removeEventListener('beforeprint', fill);
      removeEventListener('afterprint', clear);
    };
  }, [shown, count, only]);
  return <section class="printed" ref={place} />;
}

interface PrintedProps {
  readonly what: string;
  readonly plants: readonly StoredPlant[];
  /** There are others. */
  readonly isCut: boolean;
}

function Printed({ what, plants, isCut }: PrintedProps) {
  return (
    <>
      <h1>Plants</h1>
      <p>
        {what}, {toDay(Date.now())}
      </p>
      {isCut && <p>Only the first {toGrouped(plants.length)}. To print others, search, or choose a tag.</p>}
      <table>
        <thead>
          <tr>
            <th>Id</th>
            <th>Name</th>
            <th>Tag</th>
          </tr>
        </thead>
        <tbody>
          {plants.map(({ id, name, tag }) => (
            <tr key={id}>
              <td>{String(id)}</td>
              <td>
                <PlantName name={name} />
              </td>
              <td>
                <TagChip tag={tag} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
