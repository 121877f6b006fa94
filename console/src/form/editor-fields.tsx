/** The fields of a plant, each with its error below it. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type EachField, plantFields } from '../../../src/domain/plant.ts';
import { navigate } from '../route.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { toQuoted } from '../ui/plant-text.tsx';
import { fieldInputs, NamelessButton, TagWarning } from './field-inputs.tsx';
import { fieldLabels } from '../ui/field-text.tsx';
import type { Editor } from './use-editor.ts';

interface FieldProps {
  readonly editor: Editor;
  readonly readOnly: boolean;
}

export function EditorFields({ editor, isNew, readOnly }: FieldProps & { readonly isNew: boolean }) {
  const form = useRef<HTMLDivElement>(null);
  const errorText = Object.values(editor.errors).join();
  useLayoutEffect(() => {
    if (errorText !== '') form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [errorText]);
  return (
    <div class="fields" ref={form}>
      {plantFields.map((field) => {
        const Input = fieldInputs[field];
        const Note = fieldNotes[field];
        const error = editor.errors[field];
        const more = Note && <Note editor={editor} readOnly={readOnly} />;
        return (
          <Field key={field} label={fieldLabels[field]} hint={hints[field]} error={error} more={more}>
            {({ id }) => <Input id={id} editor={editor} readOnly={readOnly} />}
          </Field>
        );
      })}
      {isNew && <IdField editor={editor} readOnly={readOnly} />}
    </div>
  );
}

function IdField({ editor: { draft, errors, taken, type }, readOnly }: FieldProps) {
  const [, plain] = /^\s*0+(\d+)\s*$/.exec(errors.id === undefined ? '' : draft.id) ?? [];
  return (
    <Field
      label="Id"
      hint="The next free number. Any other works, too; it cannot be changed later."
      error={errors.id}
      more={
        taken === undefined ? (
          plain !== undefined && (
            <Button kind="quiet" onClick={() => type({ id: plain })}>
              Use {plain}
            </Button>
          )
        ) : (
          <Button kind="quiet" onClick={() => navigate({ plant: taken.id })}>
            Open {toQuoted(taken.name)}
          </Button>
        )
      }
    >
      {(control) => (
        <input
          {...control}
          class="input input-number"
          type="text"
          inputmode="numeric"
          autocomplete="off"
          spellcheck={false}
          value={draft.id}
          readOnly={readOnly}
          required
          onInput={({ currentTarget: { value } }) => type({ id: value })}
        />
      )}
    </Field>
  );
}

const hints: Partial<EachField<string>> = { tag: 'Optional, for example climber.' };

/** What a field has below its input and its hint. */
const fieldNotes: Partial<EachField<(props: FieldProps) => JSX.Element | null>> = {
  name: NamelessButton,
  tag: ({ editor, readOnly }) => (
    <>
      <EmptyTag editor={editor} readOnly={readOnly} />
      <div role="status">{!readOnly && <TagWarning editor={editor} />}</div>
    </>
  ),
};

function EmptyTag({ editor: { draft, type }, readOnly }: FieldProps) {
  if (draft.tag !== '' || !(draft.hasEmptyTag || draft.base?.tag === '')) return null;
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={draft.hasEmptyTag}
        disabled={readOnly}
        onChange={({ currentTarget: { checked } }) => type({ hasEmptyTag: checked })}
      />
      <span>Keep the empty tag (not the same as no tag)</span>
    </label>
  );
}
