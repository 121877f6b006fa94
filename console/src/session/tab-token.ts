/** The token of people who do not stay signed in: kept for this tab, so that a reload does not sign them out. It ends with the tab or the session. */
import { toStorageKey } from './service-url.ts';
import { readStored, writeStored } from '../ui/stored-text.ts';

const key = toStorageKey('tab-token');

export function findTabToken(): string | undefined {
  return readStored('sessionStorage', key);
}

/** @param token undefined removes it. */
export function setTabToken(token: string | undefined): void {
  writeStored('sessionStorage', key, token);
}
