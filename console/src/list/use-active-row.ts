/** The row that the keys move, with the focus on it, and those that are selected from it; a new list starts at its top. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Announcement } from '../copy/changes.ts';
import { picked, type Selection } from '../actions/picked-plants.ts';
import { useCommand } from '../ui/commands.ts';
import type { ShownList } from './use-list.ts';
import type { ShownRows } from './shown-rows.ts';
import { messageRows, type ScrollPlace } from './use-scroll-place.ts';

export type RecentPlant = Extract<Announcement, { readonly kind: 'stored' }>;

/** @param recent the plant that was just saved. */
export function useActiveRow(
  scroller: { readonly current: HTMLDivElement | null },
  { shown, name, copy }: ShownList,
  { top, show }: Pick<ScrollPlace, 'top' | 'show'>,
  openId: bigint | undefined,
  recent: RecentPlant | undefined,
) {
  const [last, setLast] = useState<{ readonly id?: bigint | undefined; readonly at: number }>({ at: 0 });
  const focusWanted = useRef(false);
  const setActive = (at: number): void => setLast({ id: shown.rows[at]?.id, at });
  useEffect(() => setActive(Math.ceil(top)), [name]);
  // The row may have moved; if it is gone, the one that follows is active.
  const at = (last.id === undefined ? undefined : shown.indexOf(last.id)) ?? last.at;
  const active = Math.max(0, Math.min(at, shown.rows.length - 1));

  useLayoutEffect(() => {
    if (!focusWanted.current) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${active}"]`);
    const { activeElement, body } = document;
    // The person may have left the list meanwhile.
    const isHere = activeElement === body || scroller.current?.contains(activeElement) === true;
    // Until it is rendered.
    focusWanted.current = isHere && !row;
    if (isHere) row?.focus({ preventScroll: true });
  });

  useCommand('focusList', (options) => {
    const row = scroller.current?.querySelector<HTMLElement>('[tabindex="0"]');
    row?.focus(options);
    return row instanceof HTMLElement;
  });

  // Closing the form leads to its row, also if a link has opened it.
  useEffect(() => {
    const opened = openId === undefined ? undefined : shown.indexOf(openId);
    // A row that was clicked stays under the pointer.
    if (opened !== active) lead(opened);
  }, [openId, name, copy.isLoaded]);
  const added = recent?.isNew === true ? shown.indexOf(recent.plant.id) : undefined;
  useLayoutEffect(() => lead(added), [recent, added === undefined]);
  return { active, setActive, focusWanted, ...usePick(shown, name, setActive) };

  function lead(to: number | undefined): void {
    if (to === undefined) return;
    // A message may cover the last rows.
    show(to, messageRows);
    setActive(to);
  }
}

/** The rows that were selected last, without or with Shift. */
interface Range {
  readonly from?: bigint | undefined;
  readonly to?: bigint | undefined;
  /** With Shift: what was selected before, and with it. */
  readonly before?: Selection['ids'] | undefined;
  readonly made?: Selection['ids'];
}

function usePick(shown: ShownRows, name: string, setActive: (at: number) => void) {
  const range = useRef<Range>({});
  useEffect(() => {
    range.current = {};
  }, [name]);
  const { rows } = shown;
  const pick = (index: number, isRange: boolean): void => {
    const id = rows[index]?.id;
    if (id === undefined || !shown.has(id)) return;
    if (isRange) {
      const from = shown.indexOf(range.current.from ?? id) ?? index;
      const between = rows.slice(Math.min(from, index), Math.max(from, index) + 1);
      // In place of the last range from there, unless the selection was changed since.
      const { ids } = picked().selection.value;
      const before = range.current.made === ids ? range.current.before : ids;
      const added = between.flatMap((row) => (shown.has(row.id) ? row.id : []));
      picked().add(added, before);
      range.current = { from: rows[from]?.id, to: id, before, made: picked().selection.value.ids };
    } else {
      const loaded = rows.map((row) => row.id);
      picked().toggle(id, loaded);
      range.current = { from: id, to: id };
    }
    setActive(index);
  };
  /** With Shift and a key, from the row with the focus. */
  const extend = (at: number, to: number): void => {
    const id = rows[at]?.id;
    // The focus has moved on since the last range: a new one begins.
    if (range.current.to !== id) range.current = { from: id, to: id };
    pick(to, true);
  };
  return { pick, extend };
}
