/** Unsaved forms, kept for the tab: a reload, a crash or a new sign-in loses nothing. */

const prefix = 'plant-store.draft.';

/** The content of a form, as text: an id keeps every digit. */
export interface Draft {
  readonly id: string;
  readonly name: string;
  readonly tag: string;
  /** With an empty `tag`: whether the plant has the empty tag, or none. */
  readonly hasEmptyTag: boolean;
  /** Of a new plant: the id that the form proposed. */
  readonly suggestedId?: string;
  /** The version that the form started from; absent for a new plant. */
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

/** @param draft undefined removes it. */
export function writeDraft(key: string, draft: Draft | undefined): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(prefix + key);
    else sessionStorage.setItem(prefix + key, JSON.stringify(draft));
  } catch {
    // Storage is full or forbidden; the form itself still has everything.
  }
}

export function dropDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  } catch {
    // Then there are none.
  }
}
