/** Which rows of the list are visible: follows the size and the scroll bar, and keeps the rows in their places when others come above them. */
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { ShownList } from './use-list.ts';

/** Rows that a message covers; as high is the space below the last row, in plants.css. */
export const messageRows = 2;
/** Rows rendered beyond either edge, so that fast scrolling shows no gaps. */
const marginRows = 12;
/** Height of a row in rem, as `--row` in tokens.css. */
const rowRem = { wide: 2.25, touch: 2.75, narrow: 4 };

export type ScrollPlace = ReturnType<typeof useScrollPlace>;

export function useScrollPlace(
  scroller: { readonly current: HTMLDivElement | null },
  { shown, name, start, keepPlace }: ShownList,
  width: keyof typeof rowRem,
) {
  const rem = useMemo(() => parseFloat(getComputedStyle(document.documentElement).fontSize), []);
  const rowHeight = rowRem[width] * rem;
  const [height, setHeight] = useState(800);
  const [place, setPlace] = useState({ name, top: start });
  const top = place.name === name ? place.top : start;
  const rows = height / rowHeight;
  const scrollTo = (next: number): void => {
    const element = scroller.current;
    if (element === null) return;
    element.scrollTop = next * rowHeight;
    setPlace({ name, top: element.scrollTop / rowHeight });
  };
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const head = element.querySelector<HTMLElement>('.grid-head');
    const measure = (): void => setHeight(element.clientHeight - (head?.offsetHeight ?? 0));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => scrollTo(start), [name, start, rowHeight]);
  useLayoutEffect(() => {
    const { shift } = shown;
    shown.shift = 0;
    if (shift !== 0) scrollTo(top + shift);
    shown.look(top + shift, top + shift + rows);
  });

  const show = (at: number, rowsBelow = 0): void => {
    const bottom = at + 1 + Math.max(0, Math.min(rowsBelow, rows - 1));
    if (at < top) scrollTo(at);
    else if (bottom > top + rows) scrollTo(bottom - rows);
  };
  const onScroll = ({ currentTarget }: { readonly currentTarget: HTMLElement }): void => {
    const next = currentTarget.scrollTop / rowHeight;
    setPlace({ name, top: next });
    keepPlace(next);
  };
  return {
    top,
    rowHeight,
    /** Of the rows that are rendered. */
    first: Math.max(0, Math.floor(top) - marginRows),
    last: Math.min(shown.rows.length, Math.ceil(top + rows) + marginRows) - 1,
    pageRows: Math.max(1, Math.floor(rows) - 1),
    show,
    onScroll,
  };
}
