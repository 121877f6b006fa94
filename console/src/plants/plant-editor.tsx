/** The form of one plant, beside the list: to make, to change, to delete. */
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { navigate } from '../route.ts';
import type { Session } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { toQuoted } from '../ui/plant-text.tsx';
import { showToast } from '../ui/toasts.tsx';
import { Conflict } from './conflict.tsx';
import { EditorFields } from './editor-fields.tsx';
import { EditorNotes } from './editor-notes.tsx';
import { toPlant } from './plant-form.ts';
import { offerUndo } from './delete-plants.ts';
import { announce } from './changes.ts';
import { useDelete } from './use-delete.ts';
import { type Editor, useEditor } from './use-editor.ts';

interface EditorProps {
  readonly current: Session;
  readonly plantKey: bigint | 'new';
}

export function PlantEditor({ current, plantKey }: EditorProps) {
  const titleId = useId();
  const panel = useRef<HTMLElement>(null);
  const isNew = plantKey === 'new';
  const editor = useEditor(current.client, plantKey, (plant, wasNew) => {
    showToast({ text: `${toQuoted(plant.name)} ${wasNew ? 'stored' : 'saved'}.` });
    navigate({ plant: undefined }, { replace: true });
  });
  useFocusInside(panel, editor.state === 'reading');
  const title = isNew ? 'New plant' : 'Plant';
  return (
    <aside
      class="panel"
      ref={panel}
      aria-labelledby={titleId}
      onKeyDown={(event) => {
        if (event.key === 'Escape') navigate({ plant: undefined });
      }}
    >
      <header class="panel-head">
        <h2 id={titleId}>{title}</h2>
        {!isNew && <span class="panel-id">{String(plantKey)}</span>}
        <Button kind="quiet" icon="close" label="Close" onClick={() => navigate({ plant: undefined })} />
      </header>
      <EditorBody current={current} plantKey={plantKey} editor={editor} />
    </aside>
  );
}

function EditorBody({ current, plantKey, editor }: EditorProps & { readonly editor: Editor }) {
  const { state, conflict, isDirty } = editor;
  const deletion = useDelete(current.client, plantKey, editor, (plant) => {
    announce({ kind: 'deleted', id: plant.id });
    navigate({ plant: undefined }, { replace: true });
    offerUndo(current.client, [plant]);
  });
  if (state === 'reading') {
    return (
      <div class="panel-body" aria-busy="true">
        <i class="bone bone-field" />
        <i class="bone bone-field" />
      </div>
    );
  }
  if (state === 'gone') {
    return (
      <div class="panel-body">
        <p class="panel-text">No plant has this id. It may have been deleted.</p>
        <Button onClick={() => navigate({ plant: undefined })}>Back to the list</Button>
      </div>
    );
  }
  if (conflict !== undefined) return <Conflict editor={editor} stored={conflict} />;
  if (deletion.conflict !== undefined)
    return <Conflict editor={editor} stored={deletion.conflict} deletion={deletion} />;

  const isBusy = state === 'saving' || state === 'waiting';
  const isNew = plantKey === 'new';
  return (
    <form
      class="panel-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void editor.save();
      }}
    >
      <div class="panel-body">
        <EditorNotes editor={editor} canWrite={current.canWrite} />
        {state !== 'failed' && <EditorFields editor={editor} isNew={isNew} canWrite={current.canWrite} />}
      </div>
      {current.canWrite && state !== 'failed' && (
        <footer class="panel-foot">
          <Button kind="main" type="submit" isBusy={isBusy} disabled={!isNew && !isDirty}>
            {state === 'waiting' ? 'Waiting' : state === 'saving' ? 'Saving' : isNew ? 'Store plant' : 'Save'}
          </Button>
          {state === 'waiting' && <Button onClick={() => editor.stopWaiting()}>Stop waiting</Button>}
          {!isNew && state !== 'waiting' && (
            <Button kind="danger" icon="trash" isBusy={deletion.isBusy} onClick={() => void deletion.run()}>
              Delete
            </Button>
          )}
        </footer>
      )}
      {!isNew && state !== 'failed' && (
        <button
          type="button"
          class="panel-link"
          onClick={() => navigate({ view: 'labels', ids: [plantKey], plant: undefined })}
        >
          <Icon name="label" /> Print a label for {toQuoted(toPlant(editor.draft).name)}
        </button>
      )}
    </form>
  );
}

/** Takes the focus when the panel opens, and gives it back to where it was when it closes. */
function useFocusInside(panel: { readonly current: HTMLElement | null }, isReading: boolean): void {
  const before = useRef<Element | null>(null);
  useLayoutEffect(() => {
    before.current = document.activeElement;
    return () => {
      const target = before.current;
      // The list may have been drawn anew: its row in the order of Tab stands for the one that is gone.
      const row = document.querySelector<HTMLElement>('.grid-body [tabindex="0"]');
      setTimeout(() => {
        if (document.activeElement !== document.body && document.activeElement !== null) return;
        if (target instanceof HTMLElement && target.isConnected) target.focus();
        else row?.focus();
      });
    };
  }, []);
  // Before anything is drawn: what is typed next belongs here.
  useLayoutEffect(() => {
    const first = isReading ? undefined : panel.current?.querySelector<HTMLElement>('.input:not([readonly])');
    (first ?? panel.current?.querySelector<HTMLElement>('button'))?.focus();
  }, [isReading]);
}
