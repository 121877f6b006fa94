/** The form of one plant as components see it. What it does is in editor.ts. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import { useValue } from '../observable.ts';
import { navigate } from '../route.ts';
import { onBack } from '../session/connection.ts';
import { readDraft, writeDraft } from '../session/drafts.ts';
import { awayText } from '../session/reasons.ts';
import { noteError, type Session, session } from '../session/session.ts';
import { toQuoted } from '../ui/plant-text.tsx';
import { Editor as EditorOfPlant } from './editor.ts';
import { type Form, toIncoming } from './editor-state.ts';
import { isDirty } from './plant-form.ts';
import type { Saved } from './save-plant.ts';
import { tellUnsaved } from './tell-saved.ts';

export interface Editor extends Form, Pick<EditorOfPlant, 'loadStored' | 'type' | 'save' | 'discard' | 'goBack'> {
  readonly isDirty: boolean;
  /** The name of the plant that is saved now: of several new ones, the fields show the last. */
  readonly savedName: string;
}

/** Those that are open, and those that were closed while they wait for the service. */
const editors = new Map<bigint | 'new', EditorOfPlant>();
onBack(() => editors.forEach((editor) => editor.retry()));
// The next session has its own.
session.subscribe(() => {
  if (session.value === undefined) editors.clear();
});

/** The plant that was edited in the list and not saved: its form saves it, and asks what is to be asked. */
let handedOver: bigint | undefined;

/** Opens the form of a plant whose draft could not be saved in the list. */
export function handOver(id: bigint): void {
  handedOver = id;
  navigate({ plant: id });
}

/**
 * @param key the id of the plant, or `new`.
 * @param onFailed receives what was not saved, and why.
 * @param shown the plant as a row of the list shows it: the form starts from that.
 */
export function useEditor(
  { client, canRead }: Pick<Session, 'client' | 'canRead'>,
  key: bigint | 'new',
  onSaved: (saved: Saved) => void,
  onFailed: (text: string) => void,
  shown?: StoredPlant,
): Editor {
  const latest = useRef({ onSaved, onFailed });
  latest.current = { onSaved, onFailed };
  const [editor] = useState(() => {
    const drafts = { read: readDraft, write: writeDraft };
    const listeners = {
      onSaved: (saved: Saved) => latest.current.onSaved(saved),
      onFailed: (name: string, reason: string) => latest.current.onFailed(toUnsaved(name, reason)),
    };
    return new EditorOfPlant(key, { client, canRead, drafts, noteError, ...listeners }, shown);
  });
  useEffect(() => {
    const isWaiting = editors.get(key)?.form.value.state === 'waiting';
    editors.set(key, editor);
    if ((isWaiting || handedOver === key) && editor.form.value.isRestored) void editor.save();
    handedOver = undefined;
    const close = editor.open();
    return () => {
      close();
      const { state } = editor.form.value;
      if (state !== 'waiting') editors.delete(key);
      // Otherwise something else is said of it.
      const { shown } = editor;
      const isTyped = state === 'ready' || (shown !== editor.form.value.draft && isDirty(shown));
      const isLeft = isTyped && handedOver !== key && readDraft(String(key)) !== undefined;
      if (isLeft) tellUnsaved(`${toQuoted(shown.name)} is not saved. What you typed is kept.`, key, false);
    };
  }, []);
  const form = useValue(editor.form);
  return {
    ...editor,
    ...form,
    incoming: toIncoming(form),
    draft: editor.shown,
    savedName: form.draft.name,
    isDirty: isDirty(editor.shown),
  };
}

function toUnsaved(name: string, reason: string): string {
  // Only the response may be lost.
  return reason === awayText
    ? `${toQuoted(name)} may not be saved yet. ${reason} It will be saved automatically.`
    : `${toQuoted(name)} was not saved. ${reason}`;
}
