/** Boxes above everything, placed by the style sheet. In a browser that cannot do both, they stay where they are, and may be cut. */
export const floating = CSS.supports('anchor-name: --a') ? 'manual' : undefined;

/** Does nothing with another box than one whose `popover` is `floating`. */
export function showFloating(box: HTMLElement | null, isShown: boolean): void {
  if (floating !== undefined && box?.popover === floating) box.togglePopover(isShown);
}
