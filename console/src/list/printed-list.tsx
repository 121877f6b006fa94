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
export function PrintedList({ list: { shown, count, isLoading } }: { readonly list: ShownList }) {
  const { only } = useSelection();
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const fill = (): void => {
      const what = only === undefined ? toFilterText(shown.filter, count) : toCount(only.size, 'selected plant');
      const plants = shown.plants().slice(0, printedMax);
      // A change of state would be rendered after Firefox has printed.
      const why = isLoading
        ? 'The list was still loading: print it again.'
        : 'To print others, search, or choose a tag.';
      render(<Printed what={what} plants={plants} why={plants.length === count ? undefined : why} />, current);
    };
    const clear = (): void => render(null, current);
    addEventListener('beforeprint', fill);
    addEventListener('afterprint', clear);
    return () => {
      removeEventListener('beforeprint', fill);
      removeEventListener('afterprint', clear);
    };
  }, [shown, count, isLoading, only]);
  return <section class="printed" ref={place} />;
}

interface PrintedProps {
  readonly what: string;
  readonly plants: readonly StoredPlant[];
  /** Undefined: there are no others. */
  readonly why: string | undefined;
}

function Printed({ what, plants, why }: PrintedProps) {
  return (
    <>
      <h1>Plants</h1>
      <p>
        {toSentence(why === undefined ? what : `${toGrouped(plants.length)} of ${what}`)}, {toDay(Date.now())}
      </p>
      {why && <p>{why}</p>}
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
