/** The form of one plant, beside the list: add, edit, delete. */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Change } from '../../../src/client/client.ts';
import { navigate, showLabels } from '../route.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/command.tsx';
import { commands, useCommand } from '../ui/commands.ts';
import { Icon } from '../ui/icons.tsx';
import { PlantName, toQuoted } from '../ui/plant-text.tsx';
import { useAction } from '../session/use-action.ts';
import { PlantHistory } from './plant-history.tsx';
import { deletePlant } from '../actions/restore-plant.ts';
import { writeDraft } from '../session/drafts.ts';
import { changedText } from '../session/reasons.ts';
import { ConflictForm, DeletedConflict } from './conflict.tsx';
import { EditorFields } from './editor-fields.tsx';
import { EditorNotes, IncomingNote } from './editor-notes.tsx';
import { toVersion } from '../form/plant-form.ts';
import type { Saved } from '../form/save-plant.ts';
import { leadToOffer } from '../form/similar-tag.tsx';
import { tellSaved, tellUnsaved } from '../form/tell-saved.ts';
import { type ShownEditor, useEditor } from '../form/use-editor.ts';

interface PanelProps {
  readonly plantKey: bigint | 'new';
}

/** @param isModal the panel covers the list, which cannot be used until it closes. */
export function PlantPanel({ plantKey, isModal }: PanelProps & { readonly isModal: boolean }) {
  const panel = useRef<HTMLDivElement>(null);
  const close = (): void => {
    // It may have been closed while the service was asked, and another form be open.
    if (panel.current !== null) navigate({ plant: undefined }, { replace: true });
  };
  const onSaved = (saved: Saved): void => {
    // The form of new plants stays open, and says it itself.
    if (plantKey === 'new' && panel.current !== null) return;
    tellSaved(saved);
    close();
  };
  const editor = useEditor(plantKey, onSaved);
  useFocusInside(panel, editor.state === 'reading', plantKey !== 'new');
  const titleId = useId();
  /** Of a plant that is deleted. */
  const [last, setLast] = useState<Change>();
  return (
    <div
      class="panel"
      ref={panel}
      tabIndex={-1}
      role={isModal ? 'dialog' : 'complementary'}
      aria-modal={isModal ? true : undefined}
      aria-labelledby={`${titleId} ${titleId}-id`}
    >
      <PanelHead
        plantKey={plantKey}
        name={(editor.draft.base ?? last?.plant ?? last?.before)?.name}
        titleId={titleId}
      />
      <PanelBody plantKey={plantKey} editor={editor} onDone={close} last={last} onLast={setLast} />
    </div>
  );
}

interface HeadProps {
  readonly plantKey: bigint | 'new';
  readonly name: string | undefined;
  readonly titleId: string;
}

function PanelHead({ plantKey, name, titleId }: HeadProps) {
  const id = useRef<HTMLSpanElement>(null);
  return (
    <div class="panel-head">
      <div class="panel-title">
        <h2 id={titleId}>
          {plantKey === 'new' ? 'New plant' : name === undefined ? 'Plant' : <PlantName name={name} />}
        </h2>
        {plantKey !== 'new' && (
          <p class="panel-id">
            <span id={`${titleId}-id`}>
              Id <span ref={id}>{String(plantKey)}</span>
            </span>
            <CopyButton text={String(plantKey)} what="the id" source={() => id.current} />
          </p>
        )}
      </div>
      <Button kind="quiet" icon="close" label="Close" onClick={() => navigate({ plant: undefined })} />
    </div>
  );
}

interface BodyProps extends PanelProps {
  readonly editor: ShownEditor;
  readonly onDone: () => void;
  readonly last: Change | undefined;
  readonly onLast: (change: Change) => void;
}

function PanelBody(props: BodyProps) {
  const { plantKey, editor, last, onLast } = props;
  const { state, conflict } = editor;
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
        <p class="soft">{last?.kind === 'deleted' ? 'This plant was deleted.' : 'There is no plant with this id.'}</p>
        <Button onClick={() => navigate({ plant: undefined })}>Back to the list</Button>
        {plantKey !== 'new' && <PlantHistory plantId={plantKey} stored={undefined} onLast={onLast} />}
      </div>
    );
  }
  if (state === 'failed') {
    return (
      <div class="panel-body">
        <EditorNotes editor={editor} />
      </div>
    );
  }
  if (conflict === 'deleted') return <DeletedConflict editor={editor} />;
  if (conflict !== undefined) return <ConflictForm key={conflict.etag} editor={editor} stored={conflict} />;
  return <PanelForm {...props} />;
}

function PanelForm({ plantKey, editor, onDone }: BodyProps) {
  const { client, canWrite } = useSession();
  const { state, isDirty } = editor;
  const { busy, run } = useAction();
  const isBusy = state === 'saving' || state === 'waiting';
  const isNew = plantKey === 'new';
  const version = isNew ? undefined : toVersion(plantKey, editor.draft);
  const remove = async (): Promise<void> => {
    if (version === undefined) return;
    const end = await deletePlant(client, version);
    if (end === 'deleted') {
      writeDraft(String(plantKey), undefined);
      onDone();
    } else if (end === 'changed') {
      const { name } = version.plant;
      tellUnsaved(`${toQuoted(name)} was not deleted. ${changedText} Check what it is now.`, plantKey);
      void editor.loadStored();
    }
  };
  return (
    <form
      class="panel-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (leadToOffer(event.currentTarget)) return;
        void editor.save();
        // The next plant begins with its name.
        if (isNew) event.currentTarget.querySelector('textarea')?.focus();
      }}
    >
      <div class="panel-body">
        <EditorNotes editor={editor} />
        {/* What is typed while the plant is being saved would be lost when the form closes. */}
        <EditorFields editor={editor} isNew={isNew} readOnly={!canWrite || (state === 'saving' && !isNew)} />
        {version !== undefined && <PlantHistory plantId={version.plant.id} stored={version} />}
      </div>
      <IncomingNote editor={editor} />
      {!isNew && (
        <button type="button" class="panel-link" onClick={() => showLabels([plantKey])}>
          <Icon name="label" /> Print a label
        </button>
      )}
      {canWrite && (
        <div class="panel-foot">
          <Button kind="main" type="submit" isBusy={isBusy} disabled={!isNew && !isDirty}>
            {state === 'waiting' ? 'Waiting' : state === 'saving' ? 'Saving' : isNew ? 'Add plant' : 'Save'}
          </Button>
          {state === 'waiting' && <Button onClick={editor.goBack}>Stop waiting</Button>}
          {!isNew && state !== 'waiting' && (
            <Button
              kind="danger"
              icon="bin"
              isBusy={busy !== undefined}
              disabled={version === undefined}
              onClick={() => void run('delete', 'Deleting', remove)}
            >
              Delete
            </Button>
          )}
        </div>
      )}
    </form>
  );
}

/** Moves the focus into the panel when it opens, and back when it closes. */
function useFocusInside(
  panel: { readonly current: HTMLElement | null },
  isReading: boolean,
  /** On a touch screen, the keyboard would cover what is to be read. */
  isStored: boolean,
): void {
  const before = useRef<Element | null>(null);
  const focus = (): void => {
    const find = (selector: string) => panel.current?.querySelector<HTMLElement>(selector);
    (find('.input:not([readonly])') ?? find('.panel-body > .button') ?? find('.panel-head > .button'))?.focus();
  };
  useCommand('focusForm', focus);
  useCommand('isInForm', (element) => panel.current?.contains(element) === true);
  useLayoutEffect(() => {
    before.current = document.activeElement;
    return () => {
      const target = before.current;
      setTimeout(() => {
        if (document.activeElement !== document.body && document.activeElement !== null) return;
        if (target instanceof HTMLElement && target.isConnected && target !== document.body) target.focus();
        // The list may have been drawn again: its row in the tab order replaces the one that is gone.
        else commands.focusList?.();
      });
    };
  }, []);
  // Before anything is painted: what is typed next belongs here.
  useLayoutEffect(() => {
    // Nothing that a key would press before there is something to see.
    if (isReading || (isStored && matchMedia('(pointer: coarse)').matches)) panel.current?.focus();
    else focus();
  }, [isReading]);
}
