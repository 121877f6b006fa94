/** The input of each field of a plant, in the form and in a row of the list. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { EachField } from '../../../src/client/client.ts';
import { keyOf } from '../ui/keys.ts';
import { fieldLabels } from '../ui/field-text.tsx';
import { toPlant } from './plant-form.ts';
import { SimilarTag } from './similar-tag.tsx';
import { TagField } from './tag-field.tsx';
import type { ShownEditor } from './use-editor.ts';

interface InputProps {
  /** `${id}-hint` describes it. */
  readonly id: string;
  readonly editor: ShownEditor;
  readonly readOnly: boolean;
  /** In a row: there is neither a form nor a label around it. */
  readonly isInRow?: boolean;
}

export const fieldInputs: EachField<(props: InputProps) => JSX.Element> = { name: NameInput, tag: TagInput };

function NameInput({ id, editor: { draft, errors, type }, readOnly, isInRow = false }: InputProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    // Grow with the text.
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [draft.name]);
  return (
    <textarea
      id={id}
      ref={area}
      class="input"
      rows={1}
      dir="auto"
      autocomplete="off"
      spellcheck={false}
      aria-label={isInRow ? fieldLabels.name : undefined}
      value={draft.name}
      readOnly={readOnly}
      aria-describedby={`${id}-hint`}
      aria-invalid={errors.name !== undefined}
      onInput={({ currentTarget: { value } }) => type({ name: value })}
      // Of a stored plant, the lines are its name; of a new one, rows to import.
      data-rows={readOnly || draft.base !== undefined ? undefined : 'import'}
      onKeyDown={(event) => {
        // Shift+Enter breaks the line: that is rare in a name.
        if (isInRow || keyOf(event) !== 'Enter' || event.shiftKey) return;
        event.preventDefault();
        event.currentTarget.form?.requestSubmit();
      }}
    />
  );
}

function TagInput({ id, editor: { draft, errors, type }, readOnly, isInRow = false }: InputProps) {
  return (
    <TagField
      id={id}
      value={draft.tag}
      readOnly={readOnly}
      {...(isInRow ? { label: fieldLabels.tag, isFloating: true } : {})}
      describedBy={`${id}-hint`}
      isInvalid={errors.tag !== undefined}
      onInput={(tag) => type({ tag })}
    />
  );
}

/** What is to be said of the tag as it is typed. */
export function TagWarning({ editor: { draft, type } }: { readonly editor: ShownEditor }) {
  const typed = toPlant(draft).tag ?? '';
  if (typed === draft.base?.tag) return null;
  return <SimilarTag tag={typed} onUse={(tag) => type({ tag })} />;
}
