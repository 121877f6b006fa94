/** When what has the focus disappears, the focus goes to where work goes on, not back to the start of the page. */
import { commands } from './commands.ts';

/** @param place has everything that can have the focus. */
export function keepFocus(place: HTMLElement): void {
  let last: Element | undefined;
  let wasInForm = false;
  let list: Element | null = null;
  let at = 0;
  addEventListener('focusin', ({ target }) => {
    last = target as Element;
    wasInForm = commands.isInForm?.(last) === true;
    const line = last.closest('li');
    list = line?.parentElement ?? null;
    at = [...(list?.children ?? [])].findIndex((each) => each === line);
  });
  addEventListener('focusout', () =>
    setTimeout(() => {
      // Taken away by the person, by a click beside everything.
      if (last?.isConnected === true && document.activeElement === document.body) last = undefined;
    }),
  );
  new MutationObserver(() => {
    if (last?.isConnected !== false) return;
    last = undefined;
    // A component that knows a better place is faster.
    setTimeout(() => {
      // A list that a person scrolls stays where it is: a row that leaves it may be what disappears.
      const options = { preventScroll: !wasInForm };
      const next = wasInForm ? undefined : (list?.children[at] ?? list?.lastElementChild);
      const inView = [
        () => next?.querySelector<HTMLElement>('a, button')?.focus(options),
        () => commands.focusList?.(options),
        () => document.querySelector<HTMLElement>('#main')?.focus(options),
      ];
      const inForm = [() => commands.focusForm?.()];
      // In the order of preference. What is covered takes no focus.
      for (const focus of wasInForm ? [...inForm, ...inView] : [...inView, ...inForm])
        if (document.activeElement === document.body) focus();
    });
  }).observe(place, { childList: true, subtree: true });
}
