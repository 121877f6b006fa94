/** Asks for the tag of many plants. */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PlantClient } from '../../../src/client/client.ts';
import { Button } from '../ui/button.tsx';
import { type Target, tagPlants } from './bulk-actions.ts';
import { emptyDraft, findErrors } from './plant-form.ts';
import { SimilarTag } from './similar-tag.tsx';
import { TagField } from './tag-field.tsx';

interface FormProps {
  readonly client: PlantClient;
  readonly target: Target;
  readonly onClose: () => void;
}

export function TagForm({ client, target, onClose }: FormProps) {
  const id = useId();
  const [text, setText] = useState('');
  const form = useRef<HTMLFormElement>(null);
  // Before it is painted: the first letter must not be lost.
  useLayoutEffect(() => form.current?.querySelector('input')?.focus(), []);
  // Spaces around what is typed are slips.
  const tag = text.trim();
  const error = findErrors({ ...emptyDraft, tag }).tag;
  const run = (chosen: string | undefined): void => {
    tagPlants(client, target, chosen);
    onClose();
  };
  return (
    <form
      class="tag-form"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        if (tag !== '' && error === undefined) run(tag);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.isComposing) return;
        // The selection stays.
        event.preventDefault();
        onClose();
      }}
    >
      <label for={id}>Tag for {target.what}</label>
      <TagField id={id} value={text} isInvalid={error !== undefined} onInput={setText} onPick={setText} />
      <Button kind="main" type="submit" disabled={tag === '' || error !== undefined}>
        Set tag
      </Button>
      <Button onClick={() => run(undefined)}>Remove tag</Button>
      <Button kind="quiet" icon="close" label="Cancel" onClick={onClose} />
      <div role="status" class="tag-form-note">
        {error}
        <SimilarTag tag={tag} onUse={setText} />
      </div>
    </form>
  );
}
