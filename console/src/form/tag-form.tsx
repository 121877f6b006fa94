/** Asks for the tag of many plants. What it is for is up to its place. */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { keyOf } from '../ui/keys.ts';
import { emptyDraft, findErrors } from './plant-form.ts';
import { leadToOffer, SimilarTag } from './similar-tag.tsx';
import { TagField } from './tag-field.tsx';

interface FormProps {
  readonly label: string;
  readonly initial?: string;
  /** What the button says. Default: `Set tag`. */
  readonly yes?: string;
  readonly onTag: (tag: string) => void;
  readonly onRemove?: () => void;
  /** Also after one of these. */
  readonly onClose: () => void;
}

export function TagForm({ label, initial = '', yes = 'Set tag', onTag, onRemove, onClose }: FormProps) {
  const id = useId();
  const [text, setText] = useState(initial);
  const form = useRef<HTMLFormElement>(null);
  // Before it is painted: the first letter must not be lost.
  useLayoutEffect(() => {
    const input = form.current?.querySelector('input');
    input?.focus();
    input?.select();
  }, []);
  // Spaces around what is typed are slips.
  const tag = text.trim();
  const error = findErrors({ ...emptyDraft, tag }).tag;
  return (
    <form
      class="tag-form"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        if (tag === '' || error !== undefined || leadToOffer(form.current)) return;
        onClose();
        onTag(tag);
      }}
      // Also while there are suggestions: a second Escape would end the selection.
      onKeyDownCapture={(event) => {
        if (keyOf(event) !== 'Escape') return;
        // The selection stays.
        event.preventDefault();
        onClose();
      }}
    >
      <label for={id}>{label}</label>
      <TagField id={id} value={text} isInvalid={error !== undefined} onInput={setText} />
      <Button kind="main" type="submit" disabled={tag === '' || error !== undefined}>
        {yes}
      </Button>
      {onRemove !== undefined && (
        <Button
          onClick={() => {
            onClose();
            onRemove();
          }}
        >
          Remove tag
        </Button>
      )}
      <Button kind="quiet" icon="close" label="Cancel" onClick={onClose} />
      <div role="status" class="tag-form-note">
        {error}
        <SimilarTag tag={tag} onUse={setText} />
      </div>
    </form>
  );
}
