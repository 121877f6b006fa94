/** How many plants the list has, and how many wait because showing what others changed would move rows. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { toCount, toGrouped } from '../ui/numbers.ts';
import type { ShownList } from './use-list.ts';

/** Screen readers hear of changes by others at most once in this time, in milliseconds. */
const quietMs = 20_000;

export function ListCount({ list }: { readonly list: ShownList }) {
  const { shown, name, isLoading } = list;
  const { waiting } = shown;
  const count = toCountText(list);
  const text = waiting === 0 ? count : `${count}, ${toGrouped(waiting)} changed elsewhere`;
  const spoken = useSpoken(text, isLoading ? undefined : name);
  return (
    <>
      <p class="for-readers" role="status">
        {spoken}
      </p>
      <div class="count">
        <span class="count-text cut">{count}</span>
        {waiting !== 0 && (
          <button type="button" class="waiting" title="Show what others changed" onClick={() => shown.showAll()}>
            {toGrouped(waiting)} changed<span class="waiting-more"> elsewhere</span>
          </button>
        )}
      </div>
    </>
  );
}

/** The text: at once if it is the first or about another list, otherwise at most once in a while. Until then nothing, not an old one. */
function useSpoken(text: string, list: unknown): string {
  const [spoken, setSpoken] = useState({ text, list });
  const spokenAt = useRef(-quietMs);
  useEffect(() => {
    if (text === spoken.text) return undefined;
    const isOther = list !== spoken.list || spoken.text === '';
    const timer = setTimeout(
      () => {
        spokenAt.current = performance.now();
        setSpoken({ text, list });
      },
      isOther ? 0 : Math.max(0, spokenAt.current + quietMs - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [text, list, spoken]);
  return spoken.text === text ? text : '';
}

function toCountText({ copy, shown: { size }, isLoading, count }: ShownList): string {
  const { phase } = copy.state;
  if (phase === 'failed') return '';
  if (isLoading && count === undefined) return 'Loading…';
  if (phase === 'behind' || (phase === 'reloading' && !isLoading)) return 'Updating…';
  return count === undefined ? `More than ${toGrouped(size)} plants` : toCount(count, 'plant');
}
