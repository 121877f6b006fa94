/** Where the scroll bar stands in a list that may be longer than an element of a page can be. Without a browser. */

/** Longest element, in pixels: Chromium ends at 33,554,432 pixels of the device, of which a phone has three for each; Firefox at 17,895,697. */
const elementMax = 10_000_000;
/** So near to an end of the list, a pixel of the scroll bar is a pixel of the list. */
const edge = 2_000;

/** In pixels. */
export interface Extent {
  /** Of the list. */
  readonly length: number;
  /** Of its visible part. */
  readonly height: number;
}

export function toElementLength({ length }: Extent): number {
  return Math.min(length, elementMax);
}

/** @param top distance of the visible part from the top of the list. */
export function toBar(top: number, extent: Extent): number {
  const [list, bar] = [extent.length - extent.height, toElementLength(extent) - extent.height];
  if (list === bar) return top;
  return Math.min(Math.max((top * bar) / list, Math.min(top, edge)), bar - Math.min(list - top, edge));
}

/** The place that somebody means who drags the scroll bar. */
export function toTop(bar: number, extent: Extent): number {
  return (bar * (extent.length - extent.height)) / (toElementLength(extent) - extent.height);
}
