/**
 * Repairs what the reference component leaves open: buttons without a name, scrolling code that the keyboard cannot reach, errors without a
 * short address. Its own dialog for requests is replaced by ours.
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

function patch(place: Element): void {
  if (place.querySelector('h1') !== null) document.querySelector('.outline')?.remove();
  for (const button of place.querySelectorAll('[class*="copy-button"]:not([aria-label])'))
    button.setAttribute('aria-label', 'Copy');
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
