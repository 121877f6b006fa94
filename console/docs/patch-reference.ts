/**
 * Repairs what the reference component leaves open: buttons without a name, scrolling code that the keyboard cannot reach, errors without a
 * short address, a second header, a search in which Enter does nothing before an arrow key, and opens the operations that return an error
 * before the error. Its own dialog for requests is replaced by ours.
 */

/** @param tryRequest is called instead of the component's dialog. */
export function patchReference(tryRequest: (method: string, path: string) => void): void {
  const place = document.querySelector('#reference');
  if (place === null) return;
  document.addEventListener(
    'click',
    (event) => {
      const button = (event.target as Element).closest('.show-api-client-button');
      const [, method, path] =
        /\/(GET|PUT|POST|PATCH|DELETE)(\/.*)$/.exec(button?.closest('section[id]')?.id ?? '') ?? [];
      if (button === null || method === undefined || path === undefined) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      tryRequest(method, path);
    },
    { capture: true },
  );
  document.addEventListener('keydown', openFirstHit, { capture: true });
  let isWaiting = false;
  const observer = new MutationObserver(() => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      patch(place);
    });
  });
  observer.observe(place, { childList: true, subtree: true });
}

/** The component itself opens the hit that the arrow keys have reached. */
function openFirstHit({ key, isComposing, target }: KeyboardEvent): void {
  if (key !== 'Enter' || isComposing || !(target instanceof HTMLInputElement) || target.value === '') return;
  if (!target.matches('[role=dialog] [role=combobox]:not([aria-activedescendant])')) return;
  const hits = [...(target.closest('[role=dialog]')?.querySelectorAll<HTMLElement>('[role=option]') ?? [])];
  // The error itself, not the operations that return it.
  (hits.find(({ textContent }) => textContent.includes(`${target.value.trim()}: `)) ?? hits[0])?.click();
}

function patch(place: Element): void {
  if (place.querySelector('h1') !== null) document.querySelector('.outline')?.remove();
  for (const button of place.querySelectorAll('[class*="copy-button"]:not([aria-label])'))
    button.setAttribute('aria-label', 'Copy');
  // On a phone, the page has a bar of the component, too: one header is enough.
  place.querySelector('header:not([role])')?.setAttribute('role', 'none');
  for (const code of place.querySelectorAll('.custom-scroll:not([tabindex])')) code.setAttribute('tabindex', '0');
  for (const heading of place.querySelectorAll('h3[id*="/description/"]')) {
    const number = /^\d{5}(?=: )/.exec(heading.textContent)?.[0];
    if (number === undefined || heading.firstElementChild !== null) continue;
    const anchor = Object.assign(document.createElement('span'), { id: `error-${number}` });
    anchor.append(...heading.childNodes);
    heading.append(anchor);
    if (location.hash === `#${anchor.id}`) anchor.scrollIntoView();
  }
}
