/** Where the focus goes when what has it disappears. */
import { useLayoutEffect } from 'preact/hooks';

/** When the component goes away with the focus in it: to the row in the tab order, where work goes on. */
export function useFocusAfter(element: { readonly current: HTMLElement | null }): void {
  useLayoutEffect(
    () => () => {
      if (element.current?.contains(document.activeElement) === true) setTimeout(focusRow);
    },
    [],
  );
}

/** Unless something else got the focus meanwhile. Without a list: to the view. */
function focusRow(): void {
  if (document.activeElement !== document.body) return;
  (document.querySelector<HTMLElement>('.grid-slice [tabindex="0"]') ?? document.getElementById('main'))?.focus();
}
