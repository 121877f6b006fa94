/** Which rows of the list are visible: follows the size and the scroll bar, and moves that when the place of the rows is corrected. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PlantWindow } from './plant-window.ts';
import { type Extent, toBar, toElementLength, toTop } from './scroll-scale.ts';

/** Rows that a message covers; as high is the space below the last row, in plants.css. */
export const messageRows = 2;

interface ScrollPlace {
  readonly plants: PlantWindow;
  /** The number of the first visible row, with a fraction. */
  readonly top: number;
  /** Where the scroll bar was left; undefined: where the row is in the list. */
  readonly bar: number | undefined;
}

export function useScrollPlace(
  scroller: { readonly current: HTMLDivElement | null },
  plants: PlantWindow,
  rowHeight: number,
) {
  const [height, setHeight] = useState(800);
  const [left, setPlace] = useState<ScrollPlace | undefined>(undefined);
  const place = left?.plants === plants ? left : { plants, top: plants.top, bar: undefined };
  const { top } = place;
  const extent: Extent = { length: (plants.rowCount + messageRows) * rowHeight, height };
  const elementLength = toElementLength(extent);
  const isScaled = elementLength < extent.length;
  const bar = (isScaled ? place.bar : undefined) ?? toBar((top - plants.first) * rowHeight, extent);
  /** What the element was set to, or has reported. */
  const known = useRef({ plants, bar: 0 });

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
  useLayoutEffect(() => {
    const element = scroller.current;
    const { plants: shown, bar: last } = known.current;
    if (element === null || (shown === plants && bar === last)) return;
    // With what a person has scrolled since then.
    element.scrollTop = bar + (shown === plants ? element.scrollTop - last : 0);
    known.current = { plants, bar };
  });

  const show = (number: number, rowsBelow = 0): void => {
    const rows = height / rowHeight;
    const bottom = number + 1 + Math.max(0, Math.min(rowsBelow, rows - 1));
    if (number < top) setPlace({ plants, top: number, bar: undefined });
    else if (bottom > top + rows) setPlace({ plants, top: bottom - rows, bar: undefined });
  };
  const onScroll = ({ currentTarget }: { readonly currentTarget: HTMLElement }): void => {
    const { scrollTop } = currentTarget;
    const moved = scrollTop - known.current.bar;
    if (Math.abs(moved) < 1) return;
    known.current = { plants, bar: scrollTop };
    // The keys and the wheel move by rows; who drags the scroll bar of a long list means a place.
    const isDragged = isScaled && Math.abs(moved) > 2 * height;
    const isAtEnd = scrollTop < height || scrollTop > elementLength - 2 * height;
    setPlace((last) => {
      const from = last?.plants === plants ? last.top : top;
      const next = isDragged ? plants.first + toTop(scrollTop, extent) / rowHeight : from + moved / rowHeight;
      return { plants, top: next, bar: isAtEnd ? undefined : scrollTop };
    });
  };
  return { top, height, bar, elementLength: elementLength - messageRows * rowHeight, show, onScroll };
}
