/**
 * The fields of a plant in its row. Enter saves, and so does leaving the row; Escape drops what was typed. What it cannot settle, such as
 * a conflict or a service that does not respond, goes on in the form beside the list; so does the draft of a row that is scrolled away.
 */
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { StoredPlant } from '../../../src/client/client.ts';
import { floating, showFloating } from '../ui/float.ts';
import { keyOf } from '../ui/keys.ts';
import { IncomingText } from '../copy/change-text.tsx';
import { fieldInputs, TagWarning } from '../form/field-inputs.tsx';
import { type RowField, rowFields } from '../ui/field-text.tsx';
import { leadToOffer } from '../form/similar-tag.tsx';
import { tellSaved } from '../form/tell-saved.ts';
import { handOver, type ShownEditor, useEditor } from '../form/use-editor.ts';

interface RowFormProps {
  readonly plant: StoredPlant;
  /** Gets the focus. */
  readonly field: RowField;
  readonly onEnd: () => void;
}

export function RowForm({ plant, field, onEnd }: RowFormProps) {
  const cells = useRef<HTMLDivElement>(null);
  const isOver = useRef(false);
  const end = (): void => {
    if (isOver.current) return;
    isOver.current = true;
    // Unless the person has left it for another place.
    if (cells.current?.contains(document.activeElement) === true)
      cells.current.closest<HTMLElement>('.row')?.focus({ preventScroll: true });
    onEnd();
  };
  const onSaved = (saved: Parameters<typeof tellSaved>[0]): void => {
    if (saved.undo !== undefined) tellSaved(saved);
    end();
  };
  const editor = useEditor(plant.id, onSaved, plant);
  const { state, errors, message, conflict, isDirty } = editor;
  const isBusy = state === 'saving';
  const save = (): void => {
    // Without its cells: the row leaves the list, perhaps in the middle of a word, as when it is scrolled away.
    if (isOver.current || isBusy || cells.current === null) return;
    if (isDirty) void editor.save();
    else end();
  };
  useLayoutEffect(() => {
    const input = cells.current?.querySelector<HTMLInputElement>(`.cell-${field} .input`);
    input?.focus();
    input?.select();
    return onEnd;
  }, []);
  const isStuck = conflict !== undefined || message !== undefined || (state !== 'ready' && !isBusy);
  useEffect(() => {
    if (!isStuck) return;
    end();
    if (isDirty) handOver(plant.id);
  }, [isStuck]);
  const errorText = Object.values(errors).join();
  useLayoutEffect(() => {
    if (errorText !== '') cells.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [errorText]);
  return (
    <div
      class="row-form"
      role="none"
      ref={cells}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        // After a suggestion was chosen or closed with it.
        if (event.defaultPrevented) return;
        const key = keyOf(event);
        if (key === 'Enter' && !event.shiftKey) {
          if (event.target instanceof HTMLButtonElement) return;
          if (!leadToOffer(event.currentTarget)) save();
        } else if (key === 'Escape') {
          editor.discard();
          end();
        } else return;
        event.preventDefault();
      }}
      onFocusOut={({ relatedTarget, currentTarget }) => {
        const isInside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
        if (!isInside && document.hasFocus()) save();
      }}
    >
      {rowFields.map((each) => (
        <FieldCell key={each} field={each} editor={editor} readOnly={isBusy} />
      ))}
    </div>
  );
}

interface CellProps {
  readonly field: RowField;
  readonly editor: ShownEditor;
  readonly readOnly: boolean;
}

function FieldCell({ field, editor, readOnly }: CellProps) {
  const id = useId();
  const Input = fieldInputs[field];
  const error = editor.errors[field];
  return (
    <span role="gridcell" class={`cell-${field}`} aria-busy={readOnly}>
      <Input id={id} editor={editor} readOnly={readOnly} isInRow />
      <div id={`${id}-hint`} class="row-note" role="status" popover={floating} ref={(note) => showFloating(note, true)}>
        {error !== undefined && <p class="note note-bad">{error}</p>}
        {error === undefined && field === 'tag' && <TagWarning editor={editor} />}
        {error === undefined && field === 'name' && editor.incoming !== undefined && (
          <div class="note note-warn">
            <IncomingText incoming={editor.incoming} />
          </div>
        )}
      </div>
    </span>
  );
}
