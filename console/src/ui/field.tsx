/** A label, a control, and below it an error or a hint. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly 'aria-invalid': boolean;
}

interface FieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  /** Below the error: a way to fix it. */
  readonly more?: ComponentChildren;
  readonly children: (control: ControlProps) => ComponentChildren;
}

export function Field({ label, hint, error, more, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      {children({ id, 'aria-describedby': hintId, 'aria-invalid': error !== undefined })}
      <div id={hintId} class="field-hint" aria-live="polite">
        {error === undefined ? hint : <span class="field-error">{error}</span>}
      </div>
      {more}
    </div>
  );
}
