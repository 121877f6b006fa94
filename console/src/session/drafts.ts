/** Forms that are not saved yet, kept for the tab, so that a reload, a crash or a sign-in loses nothing. */

const prefix = 'plant-store.draft.';

/** What a form holds. All are texts: an id is kept digit for digit. */
export interface Draft {
  readonly id: string;
  readonly name: string;
  readonly tag: string;
  /** With an empty `tag`: whether the plant has the empty tag, or none. */
  readonly hasEmptyTag: boolean;
  /** The version that the form began with; absent for a new plant. */
  readonly base?: { readonly name: string; readonly tag?: string; readonly etag: string };
}

/** @param key the digits of an id, or `new`. */
export function readDraft(key: string): Draft | undefined {
  try {
    const text = sessionStorage.getItem(prefix + key);
    return text === null ? undefined : (JSON.parse(text) as Draft);
  } catch {
    return undefined;
  }
}

/** Undefined forgets it. */
export function writeDraft(key: string, draft: Draft | undefined): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(prefix + key);
    else sessionStorage.setItem(prefix + key, JSON.stringify(draft));
  } catch {
    // A full or forbidden storage: the form itself still holds everything.
  }
}

export function dropDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  } catch {
    // There is nothing to drop then.
  }
}
