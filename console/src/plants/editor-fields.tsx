/** The fields of a plant, each with its error below it. */
import type { JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { type EachField, plantFields } from '../../../src/domain/plant.ts';
import { navigate } from '../route.ts';
import { hasRows, importRows } from '../import/paste-rows.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { toQuoted } from '../ui/plant-text.tsx';
import { toPlant } from './plant-form.ts';
import { SimilarTag } from './similar-tag.tsx';
import { TagField } from './tag-field.tsx';
import type { Editor } from './use-editor.ts';

interface InputProps {
  readonly editor: Editor;
  readonly readOnly: boolean;
}

const inputs: EachField<(props: InputProps) => JSX.Element> = { name: NameField, tag: TagOfPlant };

interface FieldsProps {
  readonly editor: Editor;
  readonly isNew: boolean;
  readonly readOnly: boolean;
}

export function EditorFields({ editor, isNew, readOnly }: FieldsProps) {
  const form = useRef<HTMLDivElement>(null);
  const errorText = Object.values(editor.errors).join();
  useEffect(() => {
    if (errorText !== '') form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [errorText]);
  // The next plant begins with its name.
  useEffect(() => {
    if (editor.added !== undefined) form.current?.querySelector('textarea')?.focus();
  }, [editor.added]);
  return (
    <div class="fields" ref={form}>
      {plantFields.map((field) => {
        const Input = inputs[field];
        return <Input key={field} editor={editor} readOnly={readOnly} />;
      })}
      {isNew && <IdField editor={editor} readOnly={readOnly} />}
    </div>
  );
}

function IdField({
  editor: { draft, errors, taken, type },
  readOnly,
}: {
  readonly editor: Editor;
  readonly readOnly: boolean;
}) {
  const id = useId();
  return (
    <Field
      id={id}
      label="Id"
      hint="The next free number. Any other works, too; it cannot be changed later."
      error={errors.id}
      more={
        taken !== undefined && (
          <Button kind="quiet" onClick={() => navigate({ plant: taken.id })}>
            Open {toQuoted(taken.name)}
          </Button>
        )
      }
    >
      <input
        id={id}
        class="input input-number"
        type="text"
        inputmode="numeric"
        autocomplete="off"
        spellcheck={false}
        value={draft.id}
        readOnly={readOnly}
        aria-describedby={`${id}-hint`}
        aria-invalid={errors.id !== undefined}
        required
        onInput={({ currentTarget: { value } }) => type({ id: value })}
      />
    </Field>
  );
}

function NameField({
  editor: { draft, errors, type },
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
    // Grow with the text.
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [draft.name]);
  return (
    <Field id={id} label="Name" error={errors.name}>
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
        aria-invalid={errors.name !== undefined}
        onInput={({ currentTarget: { value } }) => type({ name: value })}
        onPaste={(event) => {
          const text = event.clipboardData?.getData('text/plain') ?? '';
          // Of a stored plant, the lines are its name.
          if (readOnly || draft.base !== undefined || !hasRows(text)) return;
          event.preventDefault();
          importRows(text);
        }}
        onKeyDown={(event) => {
          // Shift+Enter breaks the line: that is rare in a name.
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
    </Field>
  );
}

function TagOfPlant({
  editor: { draft, errors, type },
  readOnly,
}: {
  readonly editor: Editor;
  readonly readOnly: boolean;
}) {
  const id = useId();
  const typed = toPlant(draft).tag ?? '';
  return (
    <Field
      id={id}
      label="Tag"
      hint="Optional, for example climber."
      error={errors.tag}
      more={
        <div role="status">
          {typed !== draft.base?.tag && !readOnly && (
            <SimilarTag tag={typed} onUse={(tag) => type({ tag, hasEmptyTag: false })} />
          )}
        </div>
      }
    >
      <TagField
        id={id}
        value={draft.tag}
        readOnly={readOnly}
        describedBy={`${id}-hint`}
        isInvalid={errors.tag !== undefined}
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
          <span>Keep the empty tag (not the same as no tag)</span>
        </label>
      )}
    </Field>
  );
}
