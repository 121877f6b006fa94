/** A form with one text and what belongs to it. Keeps the text if it could not be sent. */
import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useState } from 'preact/hooks';
import { noteError } from './session.ts';
import { toReason } from './reasons.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';

interface FormProps {
  readonly label: string;
  readonly hint: string;
  readonly initial?: string;
  readonly input?: InputHTMLAttributes;
  /** Below the text. */
  readonly children: ComponentChildren;
  /** On the button that sends it. */
  readonly action: string;
  /** What to choose first; undefined: all but the text is filled in. */
  readonly missing: string | undefined;
  readonly onSubmit: (text: string) => Promise<void>;
  /** It may have been done all the same. */
  readonly onFailed: () => void;
  readonly onCancel: () => void;
}

export function TextForm(props: FormProps) {
  const { label, hint, initial = '', input, children, action, missing, onSubmit, onFailed, onCancel } = props;
  const [text, setText] = useState(initial);
  const [error, setError] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setBusy(true);
    try {
      await onSubmit(text.trim());
      return;
    } catch (failure) {
      noteError(failure);
      setError(toReason(failure));
      onFailed();
    }
    setBusy(false);
  };
  return (
    <form
      class="managed-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void submit();
      }}
    >
      <Field label={label} hint={hint} error={error}>
        {(control) => (
          <input
            {...input}
            {...control}
            class="input"
            autoFocus
            autocomplete="off"
            value={text}
            onInput={({ currentTarget: { value } }) => setText(value)}
          />
        )}
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
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}
