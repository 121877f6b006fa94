/** Texts that last as long as the tab, also through a reload. Where the browser forbids that, they last no longer than the page. */

export function readTab(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param text undefined removes it. */
export function writeTab(key: string, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // It is full or forbidden.
  }
}
