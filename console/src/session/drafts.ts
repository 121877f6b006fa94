/** Unsaved forms, kept for the tab: a reload, a crash or a new sign-in loses nothing. */
import { toStorageKey } from './service-url.ts';
import { readStoredJson, writeStored } from '../ui/stored-text.ts';

const prefix = `${toStorageKey('draft')} `;
const listeners: (() => void)[] = [];

/** @param key the digits of an id, or `new`. */
export function readDraft(key: string): unknown {
  return readStoredJson('sessionStorage', prefix + key);
}

/** @param draft undefined removes it. If it cannot be stored, the form itself still has everything. */
export function writeDraft(key: string, draft: object | undefined): void {
  writeStored('sessionStorage', prefix + key, draft === undefined ? undefined : JSON.stringify(draft));
}

/** Calls the listener when the person signs out: what else is unfinished ends then, too. */
export function onDraftsDropped(listener: () => void): void {
  listeners.push(listener);
}

export function dropDrafts(): void {
  for (const listener of listeners) listener();
  for (const key of findKeys()) writeStored('sessionStorage', key, undefined);
}

export function countDrafts(): number {
  return findKeys().length;
}

function findKeys(): string[] {
  try {
    return Object.keys(sessionStorage).filter((key) => key.startsWith(prefix));
  } catch {
    // Then there are none.
    return [];
  }
}
