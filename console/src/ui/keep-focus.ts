/** When what has the focus disappears, the focus goes to where work goes on, not back to the start of the page. */

/** Places in the order of preference, after what has taken its place in a list. What is covered takes no focus. */
const inForm = ['.panel .input:not([readonly])', '.panel-body > .button', '.panel-head > .button'];
const inView = ['.grid-slice [tabindex="0"]', '#main'];

/** @param place has everything that can have the focus. */
export function keepFocus(place: HTMLElement): void {
  let last: Element | undefined;
  let wasInForm = false;
  let list: Element | null = null;
  let at = 0;
  addEventListener('focusin', ({ target }) => {
    last = target as Element;
    wasInForm = last.closest('.panel') !== null;
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
      if (document.activeElement === document.body) next?.querySelector<HTMLElement>('a, button')?.focus(options);
      for (const selector of wasInForm ? [...inForm, ...inView] : [...inView, ...inForm])
        if (document.activeElement === document.body) document.querySelector<HTMLElement>(selector)?.focus(options);
    });
  }).observe(place, { childList: true, subtree: true });
}
