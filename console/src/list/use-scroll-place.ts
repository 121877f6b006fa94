/** Which rows of the list are visible: follows the size and the scroll bar, and keeps the rows in their places when others come above them. */
import { useLayoutEffect, useState } from 'preact/hooks';
import type { ShownList } from './use-list.ts';

/** Rows that a message covers; as high is the space below the last row, in plants.css. */
export const messageRows = 2;

export function useScrollPlace(
  scroller: { readonly current: HTMLDivElement | null },
  { shown, name, start, keepPlace }: ShownList,
  rowHeight: number,
) {
  const [height, setHeight] = useState(800);
  const [place, setPlace] = useState({ name, top: start });
  const top = place.name === name ? place.top : start;
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
    shown.look(top + shift, top + shift + height / rowHeight);
  });

  const show = (at: number, rowsBelow = 0): void => {
    const rows = height / rowHeight;
    const bottom = at + 1 + Math.max(0, Math.min(rowsBelow, rows - 1));
    if (at < top) scrollTo(at);
    else if (bottom > top + rows) scrollTo(bottom - rows);
  };
  const onScroll = ({ currentTarget }: { readonly currentTarget: HTMLElement }): void => {
    const next = currentTarget.scrollTop / rowHeight;
    setPlace({ name, top: next });
    keepPlace(next);
  };
  return { top, height, show, onScroll };
}
