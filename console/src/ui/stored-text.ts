/** Texts that the browser keeps, for the tab or for all of them. Where it forbids that, they last no longer than the page. */

/** `sessionStorage` lasts as long as the tab, also through a reload. */
type Place = 'localStorage' | 'sessionStorage';

export function readStored(place: Place, key: string): string | undefined {
  try {
    return window[place].getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The same of JSON; undefined if it is none. */
export function readStoredJson(place: Place, key: string): unknown {
  try {
    // Most rows of the list have no draft: an error for each would cost more than the rows.
    return JSON.parse(readStored(place, key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether it is stored: the place may be full or forbidden. @param text undefined removes it. */
export function writeStored(place: Place, key: string, text: string | undefined): boolean {
  try {
    if (text === undefined) window[place].removeItem(key);
    else window[place].setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
