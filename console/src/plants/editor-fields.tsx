/** The fields of a plant, each with its fault beside it. */
import { useEffect, useId, useRef } from 'preact/hooks';
import { navigate } from '../route.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { toQuoted } from '../ui/plant-text.tsx';
import { TagField } from './tag-field.tsx';
import type { Editor } from './use-editor.ts';

interface FieldsProps {
  readonly editor: Editor;
  readonly isNew: boolean;
  readonly canWrite: boolean;
}

export function EditorFields({ editor, isNew, canWrite }: FieldsProps) {
  const form = useRef<HTMLDivElement>(null);
  const faultText = Object.values(editor.faults).join();
  useEffect(() => {
    if (faultText !== '') form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [faultText]);
  return (
    <div class="fields" ref={form}>
      {isNew && <IdField editor={editor} />}
      <NameField editor={editor} readOnly={!canWrite} />
      <TagOfPlant editor={editor} readOnly={!canWrite} />
    </div>
  );
}

function IdField({ editor: { draft, faults, taken, type } }: { readonly editor: Editor }) {
  const id = useId();
  return (
    <Field
      id={id}
      label="Id"
      hint="A whole number of your choice. It cannot be changed later."
      fault={faults.id}
      more={
        taken !== undefined && (
          <Button kind="quiet" onClick={() => navigate({ plant: taken.id })}>
            Open {toQuoted(taken.name)}
          </Button>
        )
      }
    >
      <div class="input-row">
        <input
          id={id}
          class="input input-number"
          type="text"
          inputmode="numeric"
          autocomplete="off"
          spellcheck={false}
          value={draft.id}
          aria-describedby={`${id}-hint`}
          aria-invalid={faults.id !== undefined}
          required
          onInput={({ currentTarget: { value } }) => type({ id: value })}
        />
        <Button icon="dice" label="Pick a random id" onClick={() => type({ id: randomId() })} />
      </div>
    </Field>
  );
}

function NameField({
  editor: { draft, faults, type },
  readOnly,
}: {
  readonly editor: Editor;
  readonly readOnly: boolean;
}) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    // As tall as its text.
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [draft.name]);
  return (
    <Field id={id} label="Name" fault={faults.name}>
      <textarea
        id={id}
        ref={area}
        class="input"
        rows={1}
        dir="auto"
        autocomplete="off"
        value={draft.name}
        readOnly={readOnly}
        aria-describedby={`${id}-hint`}
        aria-invalid={faults.name !== undefined}
        onInput={({ currentTarget: { value } }) => type({ name: value })}
        onKeyDown={(event) => {
          // A line break is rare in a name, and takes Shift.
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
    </Field>
  );
}

function TagOfPlant({
  editor: { draft, faults, type },
  readOnly,
}: {
  readonly editor: Editor;
  readonly readOnly: boolean;
}) {
  const id = useId();
  return (
    <Field id={id} label="Tag" hint="Optional: the kind of the plant, such as climber." fault={faults.tag}>
      <TagField
        id={id}
        value={draft.tag}
        readOnly={readOnly}
        describedBy={`${id}-hint`}
        isInvalid={faults.tag !== undefined}
        onInput={(tag) => type({ tag, ...(tag === '' ? {} : { hasEmptyTag: false }) })}
        onPick={(tag) => type({ tag, hasEmptyTag: false })}
      />
      {draft.tag === '' && (draft.hasEmptyTag || draft.base?.tag === '') && (
        <label class="check">
          <input
            type="checkbox"
            checked={draft.hasEmptyTag}
            disabled={readOnly}
            onChange={({ currentTarget: { checked } }) => type({ hasEmptyTag: checked })}
          />
          <span>Keep the empty tag, which is not the same as no tag</span>
        </label>
      )}
    </Field>
  );
}

/** Nine digits: easy to read out, and unlikely to be taken. */
function randomId(): string {
  const [value = 0] = crypto.getRandomValues(new Uint32Array(1));
  return String(100_000_000 + (value % 900_000_000));
}
