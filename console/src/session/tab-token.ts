/** The token of people who do not stay signed in: kept for this tab, so that a reload does not sign them out. It ends with the tab or the session. */
import { toStorageKey } from './service-url.ts';

const key = toStorageKey('tab-token');

export function findTabToken(): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param token undefined removes it. */
export function setTabToken(token: string | undefined): void {
  try {
    if (token === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, token);
  } catch {
    // Then it lasts as long as the page.
  }
}
