/** The fields of a plant, each with its error below it. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { plantFields } from '../../../src/client/client.ts';
import { navigate } from '../route.ts';
import { Button } from '../ui/button.tsx';
import { useCommand } from '../ui/commands.ts';
import { Field } from '../ui/field.tsx';
import { TextInput } from '../ui/text-input.tsx';
import { toQuoted } from '../ui/plant-text.tsx';
import { fieldInputs, TagWarning } from '../form/field-inputs.tsx';
import { fieldLabels } from '../ui/field-text.tsx';
import type { ShownEditor } from '../form/use-editor.ts';

interface FieldProps {
  readonly editor: ShownEditor;
  readonly readOnly: boolean;
}

export function EditorFields({ editor, isNew, readOnly }: FieldProps & { readonly isNew: boolean }) {
  const form = useRef<HTMLDivElement>(null);
  useCommand('focusField', (field) =>
    form.current?.querySelectorAll<HTMLElement>('.input')[plantFields.indexOf(field)]?.focus(),
  );
  const errorText = Object.values(editor.errors).join();
  useLayoutEffect(() => {
    if (errorText !== '') form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [errorText]);
  return (
    <div class="fields" ref={form}>
      {plantFields.map((field) => {
        const Input = fieldInputs[field];
        const isTag = field === 'tag';
        return (
          <Field
            key={field}
            label={fieldLabels[field]}
            hint={isTag ? toTagHint(editor) : undefined}
            error={editor.errors[field]}
            more={isTag && <div role="status">{!readOnly && <TagWarning editor={editor} />}</div>}
          >
            {({ id }) => <Input id={id} editor={editor} readOnly={readOnly} />}
          </Field>
        );
      })}
      {isNew && <IdField editor={editor} readOnly={readOnly} />}
    </div>
  );
}

function IdField({ editor: { draft, errors, taken, type }, readOnly }: FieldProps) {
  return (
    <Field
      label="Id"
      hint="The next number. Any other works, too; it cannot be changed later."
      error={errors.id}
      more={
        taken && (
          <Button kind="quiet" onClick={() => navigate({ plant: taken.id })}>
            Open {toQuoted(taken.name)}
          </Button>
        )
      }
    >
      {(control) => (
        <TextInput
          {...control}
          class="input input-number"
          inputmode="numeric"
          value={draft.id}
          readOnly={readOnly}
          required
          onText={(id) => type({ id })}
        />
      )}
    </Field>
  );
}

function toTagHint({ draft: { base } }: ShownEditor): string {
  return base?.tag === ''
    ? 'The stored tag is empty. You can remove it on the Tags page.'
    : 'Optional, for example climber.';
}
