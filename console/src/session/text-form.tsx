/** A form in a dialog, with one text and what belongs to it. Closes the dialog once it is sent; otherwise it keeps the text. */
import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { noteError } from './session.ts';
import { mayBeStored, toReason } from './reasons.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { TextInput } from '../ui/text-input.tsx';

/** A second token or webhook would be one too many. */
const unsureText = 'There was no response: it may be done all the same. Look at the list before you try again.';

interface FormProps<Result> {
  readonly label: string;
  readonly hint: string;
  readonly initial?: string;
  readonly input?: InputHTMLAttributes;
  readonly children: ComponentChildren;
  readonly action: string;
  /** What to choose first; undefined: all but the text is filled in. */
  readonly missing: string | undefined;
  readonly onSubmit: (text: string) => Promise<Result>;
  /** Called once the dialog is closed; without a result when it failed: it may have been done all the same. */
  readonly onEnd: (result?: Result) => void;
}

export function TextForm<Result>(props: FormProps<Result>) {
  const { label, hint, initial = '', input, children, action, missing, onSubmit, onEnd } = props;
  const [text, setText] = useState(initial);
  const [error, setError] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const close = (): void => form.current?.closest('dialog')?.close();
  const submit = async (): Promise<void> => {
    setBusy(true);
    let result: Result | undefined;
    try {
      result = await onSubmit(text.trim());
      close();
    } catch (failure) {
      noteError(failure);
      setError(mayBeStored(failure) ? unsureText : toReason(failure));
    }
    setBusy(false);
    onEnd(result);
  };
  return (
    <form
      ref={form}
      class="managed-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void submit();
      }}
    >
      <Field label={label} hint={hint} error={error}>
        {(control) => <TextInput {...input} {...control} autoFocus value={text} onText={setText} />}
      </Field>
      {children}
      {missing !== undefined && (
        <p class="field-hint" role="status">
          {missing}
        </p>
      )}
      <div class="managed-actions">
        <Button kind="main" type="submit" isBusy={isBusy} disabled={text.trim() === '' || missing !== undefined}>
          {action}
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </form>
  );
}
