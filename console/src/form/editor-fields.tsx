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

const fields: EachField<(props: FieldProps) => JSX.Element> = { name: NameField, tag: TagOfPlant };

export function EditorFields({ editor, isNew, readOnly }: FieldProps & { readonly isNew: boolean }) {
  const form = useRef<HTMLDivElement>(null);
  const errorText = Object.values(editor.errors).join();
  useLayoutEffect(() => {
    if (errorText !== '') form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [errorText]);
  return (
    <div class="fields" ref={form}>
      {plantFields.map((field) => {
        const EachOne = fields[field];
        return <EachOne key={field} editor={editor} readOnly={readOnly} />;
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

function NameField({ editor, readOnly }: FieldProps) {
  return (
    <Field label={fieldLabels.name} error={editor.errors.name} more={<NamelessButton editor={editor} />}>
      {({ id }) => <fieldInputs.name id={id} editor={editor} readOnly={readOnly} />}
    </Field>
  );
}

function TagOfPlant({ editor, readOnly }: FieldProps) {
  const { draft, errors, type } = editor;
  return (
    <Field
      label={fieldLabels.tag}
      hint="Optional, for example climber."
      error={errors.tag}
      more={<div role="status">{!readOnly && <TagWarning editor={editor} />}</div>}
    >
      {({ id }) => (
        <>
          <fieldInputs.tag id={id} editor={editor} readOnly={readOnly} />
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
        </>
      )}
    </Field>
  );
}
