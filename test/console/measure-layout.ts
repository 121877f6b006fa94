/** Measures a page: what leaves its container, what is cut without a sign, and which controls overlap. */
import type { Page } from 'playwright-core';

/** Resolves to one line for each problem. */
export async function findLayoutProblems(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(${settle})().then(window.measureLayout ??= ${measure})`);
}

/** Waits in the page until it shows what it makes of a new size, and nothing moves. */
export const settle = `async () => {
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  await Promise.all(document.getAnimations().map((each) => each.finished.catch(() => undefined)));
}`;

/** Runs in the page. */
const measure = String.raw`() => {
  const problems = [];
  // What the ancestors of many elements look like is asked once.
  const looks = new Map();
  const lookOf = (element) => {
    if (!looks.has(element)) {
      const { overflowX, overflowY, position, borderLeftWidth, textOverflow, webkitLineClamp, opacity } = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      looks.set(element, { box, overflowX, overflowY, position, borderLeftWidth, textOverflow, webkitLineClamp, opacity });
    }
    return looks.get(element);
  };
  const nameOf = (element) =>
    element.tagName.toLowerCase() + [...element.classList].map((each) => '.' + each).join('') + ' "' +
    (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 30) + '"';
  const isHidden = (element) =>
    !element.checkVisibility({ visibilityProperty: true, opacityProperty: false }) ||
    element.closest('.for-readers, .skip, svg, [inert]') !== null;

  for (const drawing of document.querySelectorAll('use'))
    if (document.querySelector(drawing.getAttribute('href')) === null) problems.push('no drawing ' + drawing.getAttribute('href'));

  if (document.documentElement.scrollWidth > innerWidth)
    problems.push('the page is ' + (document.documentElement.scrollWidth - innerWidth) + ' px too wide');

  /** The part of an element that its scrolling and clipping ancestors leave. */
  const visibleBox = (element) => {
    const { left, top, right, bottom } = lookOf(element).box;
    const box = { left, top, right, bottom };
    for (let each = element.parentElement; each !== null; each = each.parentElement) {
      const { box: outer, overflowX, overflowY, position } = lookOf(each);
      if (overflowX !== 'visible') {
        box.left = Math.max(box.left, outer.left);
        box.right = Math.min(box.right, outer.right);
      }
      if (overflowY !== 'visible') {
        box.top = Math.max(box.top, outer.top);
        box.bottom = Math.min(box.bottom, outer.bottom);
      }
      if (position === 'fixed') break;
    }
    return box;
  };

  // What is below an open dialog cannot be reached.
  const top = document.querySelector('dialog:modal') ?? document.body;
  for (const element of [top, ...top.querySelectorAll('*')]) {
    if (isHidden(element)) continue;
    const { box, ...style } = lookOf(element);
    if (box.width < 1 || box.height < 1) continue;
    // Text that is cut must say so.
    const isClipping = ['hidden', 'clip'].includes(style.overflowX);
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (isClipping && hasText && style.textOverflow !== 'ellipsis' && style.webkitLineClamp === 'none' && element.scrollWidth > element.clientWidth + 1)
      problems.push(nameOf(element) + ' is cut without an ellipsis');
    // Only code, previews and sheets may scroll sideways.
    const mayScroll = 'pre, code, textarea, .preview, .sheets, .custom-scroll';
    if (['auto', 'scroll'].includes(style.overflowX) && !element.matches(mayScroll) && element.scrollWidth > element.clientWidth + 1)
      problems.push(nameOf(element) + ' scrolls sideways');
    // The wheel scrolls wherever the pointer is.
    if (element.matches('.scroll') && box.width < lookOf(element.parentElement).box.width - 1)
      problems.push(nameOf(element) + ' is narrower than its view');
    // Sideways nothing leaves the nearest ancestor that has an edge of its own, unless that one scrolls.
    for (let outer = element.parentElement; outer !== null && outer !== document.body; outer = outer.parentElement) {
      const { box: edge, overflowX, borderLeftWidth, textOverflow, webkitLineClamp } = lookOf(outer);
      if (['auto', 'scroll'].includes(overflowX) || textOverflow === 'ellipsis' || webkitLineClamp !== 'none') break;
      if (['fixed', 'absolute'].includes(style.position)) break;
      if (overflowX === 'visible' && borderLeftWidth === '0px') continue;
      if (box.right > edge.right + 1 || box.left < edge.left - 1)
        problems.push(nameOf(element) + ' leaves ' + nameOf(outer) + ' by ' + Math.round(Math.max(box.right - edge.right, edge.left - box.left)) + ' px');
      break;
    }
  }

  const floating = '[popover], .combo-list, .toasts, .import-foot, [role=dialog], [role=alertdialog], .selection-bar';
  const controls = [...top.querySelectorAll('button, a[href], input, select, textarea, summary')]
    .filter((element) => !isHidden(element) && element.closest(floating) === null && lookOf(element).opacity !== '0')
    .map((element) => ({ element, box: visibleBox(element) }))
    .filter(({ box }) => box.right - box.left > 1 && box.bottom - box.top > 1);
  for (const [at, one] of controls.entries()) {
    if (one.box.right > innerWidth + 1 || one.box.left < -1) problems.push(nameOf(one.element) + ' is outside of the window');
    for (const other of controls.slice(at + 1)) {
      const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (width <= 1 || height <= 1) continue;
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
      // A control inside the frame of another, such as the button that clears a search.
      if (one.element.parentElement === other.element.parentElement && one.element.matches('input')) continue;
      problems.push(nameOf(one.element) + ' overlaps ' + nameOf(other.element));
    }
  }
  return [...new Set(problems)];
}`;
