/** A label, a control, and below it an error or a hint. */
import type { ComponentChildren } from 'preact';

interface FieldProps {
  /** Id of the control, which must name `${id}-hint` as its description. */
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  /** Below the error: a way to fix it. */
  readonly more?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Field({ id, label, hint, error, more, children }: FieldProps) {
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      {children}
      <div id={`${id}-hint`} class="field-hint" aria-live="polite">
        {error === undefined ? hint : <span class="field-error">{error}</span>}
      </div>
      {more}
    </div>
  );
}
