/** The form of one plant as components see it. What it does is in editor.ts. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import { Observable, useValue } from '../observable.ts';
import { navigate, route } from '../route.ts';
import { onBack } from '../session/connection.ts';
import { readDraft, writeDraft } from '../session/drafts.ts';
import { noteError, ofSession, useSession } from '../session/session.ts';
import { toQuoted } from '../ui/plant-text.tsx';
import { Editor } from './editor.ts';
import { type Form, toIncoming } from './editor-state.ts';
import { type Draft, isDirty } from './plant-form.ts';
import type { Saved } from './save-plant.ts';
import { tellUnsaved } from './tell-saved.ts';

/** What components see of an editor, and what they call. */
export interface ShownEditor extends Form, Pick<Editor, 'loadStored' | 'type' | 'save' | 'discard' | 'goBack'> {
  readonly isDirty: boolean;
  /** The name of the plant that is saved now: of two new ones, the fields show the other. */
  readonly savedName: string;
}

type Key = bigint | 'new';

const forms = ofSession(() => ({
  /** Those that are open, and those that were closed while they were being saved or waited for the service. */
  editors: new Map<Key, Editor>(),
  unsaved: new Observable<ReadonlyMap<Key, string>>(new Map()),
  /** The plant that was edited in the list and not saved: its form saves it, and asks what is to be asked. */
  handedOver: undefined as bigint | undefined,
}));
onBack(() => forms().editors.forEach((editor) => editor.retry()));
addEventListener('beforeunload', (event) => {
  // It was promised to save them.
  if ([...forms().editors.values()].some(({ form }) => /saving|waiting/.test(form.value.state))) event.preventDefault();
});

/** @param name undefined: the plant no longer waits, or its form says so itself. */
function noteUnsaved(key: Key, name: string | undefined): void {
  const { unsaved } = forms();
  const others = [...unsaved.value].filter(([each]) => each !== key);
  unsaved.set(new Map(name === undefined ? others : [...others, [key, name]]));
}

export function useUnsaved(): ReadonlyMap<Key, string> {
  return useValue(forms().unsaved);
}

/** Opens the form of a plant whose draft could not be saved in the list. */
export function handOver(id: bigint): void {
  forms().handedOver = id;
  navigate({ plant: id });
}

/**
 * @param key the id of the plant, or `new`.
 * @param listed the plant as a row of the list shows it: the form starts from that.
 */
export function useEditor(key: Key, onSaved: (saved: Saved) => void, listed?: StoredPlant): ShownEditor {
  const { client, canRead } = useSession();
  const isShown = useRef(true);
  const [editor] = useState(() => {
    const drafts = { read: (of: string) => readDraft(of) as Draft | undefined, write: writeDraft };
    const listeners = {
      onSaved: (saved: Saved) => {
        noteUnsaved(key, undefined);
        onSaved(saved);
      },
      onFailed: (name: string, reason: string) => {
        noteUnsaved(key, undefined);
        // Otherwise the form says so itself, or what was typed was dropped since.
        if (!isShown.current && isDirty(editor.form.value.draft))
          tellUnsaved(`${toQuoted(name)} was not saved. ${reason}`, key);
      },
      onWaiting: (name: string) => {
        // Otherwise another form has taken its place.
        if (forms().editors.get(key) === editor) noteUnsaved(key, isShown.current ? undefined : name);
      },
    };
    return new Editor(key, { client, canRead, tag: route.value.tag, drafts, noteError, ...listeners }, listed);
  });
  // Before the copy can go on: what it says between a render and its effects would be missed.
  useLayoutEffect(() => {
    const opened = forms();
    const isWaiting = opened.editors.get(key)?.form.value.state === 'waiting';
    opened.editors.set(key, editor);
    isShown.current = true;
    noteUnsaved(key, undefined);
    if ((isWaiting || opened.handedOver === key) && editor.form.value.isRestored) void editor.save();
    opened.handedOver = undefined;
    const close = editor.open();
    return () => {
      isShown.current = false;
      close();
      const { state, draft } = editor.form.value;
      if (state === 'waiting') noteUnsaved(key, draft.name);
      else if (state !== 'saving') opened.editors.delete(key);
      // Otherwise something else is said of it.
      const { shown } = editor;
      const isTyped = state === 'ready' || (shown !== draft && isDirty(shown));
      const isLeft = isTyped && opened.handedOver !== key && readDraft(String(key)) !== undefined;
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
