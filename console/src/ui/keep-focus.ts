/** When what has the focus disappears, the focus goes to where work goes on, not back to the start of the page. */

/** Places in the order of preference. What is covered takes no focus. */
const inForm = ['.panel .input:not([readonly])', '.panel-body > .button', '.panel-head > .button'];
const inView = ['.grid-slice [tabindex="0"]', '#main'];

/** @param place has everything that can have the focus. */
export function keepFocus(place: HTMLElement): void {
  let last: Element | undefined;
  let wasInForm = false;
  addEventListener('focusin', ({ target }) => {
    last = target as Element;
    wasInForm = last.closest('.panel') !== null;
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
      for (const selector of wasInForm ? [...inForm, ...inView] : [...inView, ...inForm])
        if (document.activeElement === document.body) document.querySelector<HTMLElement>(selector)?.focus(options);
    });
  }).observe(place, { childList: true, subtree: true });
}
